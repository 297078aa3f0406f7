using System.Net;
using System.Security.Authentication;

namespace Cache.Server.Transport.Tls;

/// <summary>The settings of TLS: the files, and which clients are trusted. Files are named like the options.</summary>
internal sealed record TlsSettings
{
    /// <summary>A PEM file: the certificate, followed by the intermediate ones.</summary>
    public string? TlsCertificateFile { get; init; }

    /// <summary>A PEM file: the certificate's key.</summary>
    public string? TlsKeyFile { get; init; }

    /// <summary>The password of the key or of the PFX file.</summary>
    public string? TlsKeyFilePassword { get; init; }

    /// <summary>A PFX file instead of both PEM files.</summary>
    public string? TlsPfxFile { get; init; }

    /// <summary>
    /// A PEM file: the authorities that clients' certificates must come from; null for those that the machine trusts.
    /// </summary>
    public string? TlsCaCertificateFile { get; init; }

    /// <summary>Whether clients are asked for a certificate.</summary>
    public bool AsksForCertificate { get; init; }

    /// <summary>Whether a client without one is refused.</summary>
    public bool RequiresCertificate { get; init; }

    public SslProtocols Protocols { get; init; } = SslProtocols.Tls12 | SslProtocols.Tls13;

    public TimeSpan HandshakeTimeout { get; init; }

    /// <summary>Measures handshakes, and the time to the next check of the files.</summary>
    public TimeProvider TimeProvider { get; init; } = TimeProvider.System;

    /// <summary>Called for each failed handshake; from any thread.</summary>
    public Action<EndPoint?, Exception, bool>? HandshakeFailed { get; init; }

    /// <summary>Called with the certificate that new handshakes use after a change of its file.</summary>
    public Action<string>? Reloaded { get; init; }

    /// <summary>Called with the reason why changed files cannot be used, once for each change.</summary>
    public Action<IOException>? ReloadFailed { get; init; }

    /// <summary>The files that are set.</summary>
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
