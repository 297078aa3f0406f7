using System.Net;
using System.Security.Authentication;
using Cache.Server.Clients;
using Cache.Server.Settings;
using Cache.Server.Transport.Tls;

namespace Cache.Server;

public sealed partial class RespServerOptions
{
    private const SslProtocols TlsProtocolsAllowed = SslProtocols.Tls12 | SslProtocols.Tls13;

    // No honest client needs longer; the connection counts as a client meanwhile.
    private static readonly TimeSpan TlsHandshakeTimeoutMax =
        TimeSpan.FromSeconds(SettingBounds.HandshakeSecondsMax);

    /// <summary>
    /// The TCP port for TLS, on the addresses of <see cref="Bind"/>; 0 lets the system choose one, which
    /// <see cref="RespServer.TlsEndPoints"/> then contains; null for no TLS, the default. With <see cref="Port"/> null,
    /// the server accepts only TLS.
    /// </summary>
    public int? TlsPort { get; set; }

    /// <summary>
    /// A PEM file with the server's certificate, followed by the intermediate ones. Read again when it changes. Needs
    /// <see cref="TlsKeyFile"/>.
    /// </summary>
    public string? TlsCertificateFile { get; set; }

    /// <summary>A PEM file with the private key of <see cref="TlsCertificateFile"/>.</summary>
    public string? TlsKeyFile { get; set; }

    /// <summary>The password of the key file or of the PFX file; null for none, the default.</summary>
    public string? TlsKeyFilePassword { get; set; }

    /// <summary>
    /// A PFX file (PKCS #12) with the server's certificate, its chain and its key, instead of the two PEM files.
    /// </summary>
    public string? TlsPfxFile { get; set; }

    /// <summary>
    /// A PEM file with the authorities that must have issued clients' certificates; null, the default, for those that
    /// the machine trusts. Revocation lists are not checked.
    /// </summary>
    public string? TlsCaCertificateFile { get; set; }

    /// <summary>Whether clients must show a certificate. Default: required, as in Redis.</summary>
    public TlsClientAuthentication TlsClientAuthentication { get; set; } = TlsClientAuthentication.Required;

    /// <summary>
    /// Users for clients with certain certificates, who then need no AUTH. The key is a name of the trusted
    /// certificate: a DNS name, an e-mail address or a URI among the alternative names, or "sha256:" and the
    /// hexadecimal thumbprint. Names must match exactly, DNS names in any case; a match of the thumbprint comes first,
    /// then the first matching name in the certificate. If the user does not exist or is off, the client counts as one
    /// without a certificate. Needs <see cref="TlsClientAuthentication"/>. Empty by default.
    /// </summary>
    /// <example><code>
    /// options.Users = ["billing on ~billing:* +@read"];
    /// options.TlsClientUsers = new Dictionary&lt;string, string&gt; { ["billing.internal.example"] = "billing" };
    /// </code></example>
    public IReadOnlyDictionary<string, string> TlsClientUsers { get; set; } = new Dictionary<string, string>();

    /// <summary>The allowed versions; older ones than 1.2 are not supported. Default: 1.2 and 1.3.</summary>
    public SslProtocols TlsProtocols { get; set; } = TlsProtocolsAllowed;

    /// <summary>
    /// The time limit of a handshake, after which the client is disconnected. Default: 10 seconds.
    /// </summary>
    public TimeSpan TlsHandshakeTimeout { get; set; } = TimeSpan.FromSeconds(10);

    /// <summary>The files and the rules, without callbacks.</summary>
    internal TlsSettings ToTlsSettings() => new()
    {
        TlsCertificateFile = TlsCertificateFile,
        TlsKeyFile = TlsKeyFile,
        TlsKeyFilePassword = TlsKeyFilePassword,
        TlsPfxFile = TlsPfxFile,
        TlsCaCertificateFile = TlsCaCertificateFile,
        AsksForCertificate = TlsClientAuthentication != TlsClientAuthentication.None,
        RequiresCertificate = TlsClientAuthentication == TlsClientAuthentication.Required,
        Protocols = TlsProtocols,
        HandshakeTimeout = TlsHandshakeTimeout,
    };

    private void FindTlsProblems(List<string> problems)
    {
        if (TlsPort is not { } port)
            return;
        RequireRange(problems, nameof(TlsPort), port);
        if (port != 0 && port == Port)
            problems.Add(Problem(nameof(TlsPort), Text(port), $"must differ from {Ref(nameof(Port))}"));
        if (Bind.Count == 0)
            problems.Add(Problem(nameof(TlsPort), Text(port), $"needs an address in {Ref(nameof(Bind))}"));
        FindTlsFileProblems(problems);
        if (!Enum.IsDefined(TlsClientAuthentication))
        {
            problems.Add(Problem(
                nameof(TlsClientAuthentication), Text((int)TlsClientAuthentication),
                $"must be one of {string.Join(", ", Enum.GetNames<TlsClientAuthentication>())}"));
        }

        CertificateUsers.FindProblems(
            Ref(nameof(TlsClientUsers)), TlsClientUsers, problems);
        if (TlsClientUsers.Count > 0 && TlsClientAuthentication == TlsClientAuthentication.None)
        {
            problems.Add(Problem(
                nameof(TlsClientAuthentication), nameof(TlsClientAuthentication.None),
                $"cannot be used with {Ref(nameof(TlsClientUsers))}, which needs certificates"));
        }

        if (TlsProtocols == SslProtocols.None || (TlsProtocols & ~TlsProtocolsAllowed) != 0)
            problems.Add(Problem(nameof(TlsProtocols), TlsProtocols.ToString(), "must be Tls12, Tls13 or both"));
        if (TlsHandshakeTimeout <= TimeSpan.Zero || TlsHandshakeTimeout > TlsHandshakeTimeoutMax)
        {
            problems.Add(Problem(
                nameof(TlsHandshakeTimeout), TlsHandshakeTimeout.ToString(),
                $"must be above 0 and at most {TlsHandshakeTimeoutMax}"));
        }
    }

    private void FindTlsFileProblems(List<string> problems)
    {
        bool hasPem = !string.IsNullOrEmpty(TlsCertificateFile);
        bool hasKey = !string.IsNullOrEmpty(TlsKeyFile);
        bool hasPfx = !string.IsNullOrEmpty(TlsPfxFile);
        if (!hasPem && !hasPfx)
        {
            problems.Add(Problem(
                nameof(TlsCertificateFile), "not given",
                $"or {Ref(nameof(TlsPfxFile))} is needed for a {Ref(nameof(TlsPort))}"));
        }

        if (hasPem && hasPfx)
        {
            problems.Add(Problem(
                nameof(TlsPfxFile), $"'{TlsPfxFile}'", $"excludes {Ref(nameof(TlsCertificateFile))}: give one"));
        }

        if (hasPem && !hasKey)
        {
            problems.Add(Problem(
                nameof(TlsKeyFile), "not given", $"is needed for {Ref(nameof(TlsCertificateFile))}"));
        }

        if (hasPfx && !hasPem && hasKey)
        {
            problems.Add(Problem(
                nameof(TlsKeyFile), $"'{TlsKeyFile}'",
                $"belongs to {Ref(nameof(TlsCertificateFile))}, not to a PFX"));
        }
    }
}
