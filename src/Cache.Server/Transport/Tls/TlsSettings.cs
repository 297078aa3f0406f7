using System.Net;
using System.Security.Authentication;

namespace Cache.Server.Transport.Tls;

/// <summary>What TLS is told: the files, and whom it speaks with. Files are named as the options.</summary>
internal sealed record TlsSettings
{
    /// <summary>A PEM file: the certificate and, after it, those that lead to its root.</summary>
    public string? TlsCertificateFile { get; init; }

    /// <summary>A PEM file: the certificate's key.</summary>
    public string? TlsKeyFile { get; init; }

    /// <summary>The password of the key or of the PFX file.</summary>
    public string? TlsKeyFilePassword { get; init; }

    /// <summary>A PFX file instead of both PEM files.</summary>
    public string? TlsPfxFile { get; init; }

    /// <summary>A PEM file: what clients' certificates must come from; null for what the machine trusts.</summary>
    public string? TlsCaCertificateFile { get; init; }

    /// <summary>Whether clients are asked for a certificate.</summary>
    public bool AsksForCertificate { get; init; }

    /// <summary>Whether a client without one is refused.</summary>
    public bool RequiresCertificate { get; init; }

    public SslProtocols Protocols { get; init; } = SslProtocols.Tls12 | SslProtocols.Tls13;

    public TimeSpan HandshakeTimeout { get; init; }

    /// <summary>Measures handshakes, and when files are looked at again.</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    /// <summary>Told of each handshake that failed; from any thread.</summary>
    public Action<EndPoint?, Exception, bool>? HandshakeFailed { get; init; }

    /// <summary>Told of the certificate that new handshakes take since its file changed.</summary>
    public Action<string>? Reloaded { get; init; }

    /// <summary>Told why changed files are not taken, once for each change.</summary>
    public Action<IOException>? ReloadFailed { get; init; }

    /// <summary>The files that there are.</summary>
    public IEnumerable<string> Files
    {
        get
        {
            foreach (string? file in (string?[])[TlsCertificateFile, TlsKeyFile, TlsPfxFile, TlsCaCertificateFile])
            {
                if (!string.IsNullOrEmpty(file))
                    yield return file;
            }
        }
    }
}
