using System.Globalization;

namespace Cache.Server.Settings;

/// <summary>
/// The directives of TLS under Redis's names, and tls-pfx-file, tls-client-user and tls-handshake-timeout.
/// </summary>
internal static class TlsDirectives
{
    private static readonly string[] _versions = ["TLSv1.2", "TLSv1.3"];

    public static IReadOnlyList<Directive> All { get; } =
    [
        new("tls-port", new NumberKind(0, ushort.MaxValue), "0", "The TCP port for TLS; 0 for none.")
        {
            IsChangeable = true, Option = "TlsPort",
            Read = static s => s.TlsPort.ToString(CultureInfo.InvariantCulture),
            Write = static (s, value) => s.TlsPort = int.Parse(value, CultureInfo.InvariantCulture),
        },
        File("tls-cert-file", "TlsCertificateFile", static tls => tls.CertificateFile,
            "The server's certificate in PEM, followed by the intermediate ones."),
        File("tls-key-file", "TlsKeyFile", static tls => tls.KeyFile, "The certificate's private key in PEM."),
        new("tls-key-file-pass", new TextKind("password"), "", "The password of the key file or of the PFX file.")
            { Option = "TlsKeyFilePassword", Read = static s => OptionText.ToLatin1(s.Tls.KeyFilePassword) },
        File("tls-pfx-file", "TlsPfxFile", static tls => tls.PfxFile,
            "Certificate, chain and key in one PFX file, instead of two in PEM."),
        File("tls-ca-cert-file", "TlsCaCertificateFile", static tls => tls.CaCertificateFile,
            "The authorities of clients' certificates, in PEM.") with { DefaultName = "the machine's" },
        new("tls-auth-clients", new OneOfKind("no", "yes", "optional"), "yes",
            "Whether clients must show a certificate.")
            { Option = "TlsClientAuthentication", Read = static s => s.Tls.ClientAuthentication },
        new("tls-client-user", new TextKind("name user") { HasWords = true }, "",
            "The user for a certificate's DNS name, e-mail, URI or sha256:thumbprint. May be given many times.")
            { IsRepeated = true, Option = "TlsClientUsers" },
        new("tls-protocols", new CheckedKind("versions", $"one of {string.Join(", ", _versions)}", FindVersionProblem)
            {
                Canonical = static text => text.Length == 0 ? "TLSv1.2 TLSv1.3" : text,
                HasWords = true, HasNoText = true,
            },
            "TLSv1.2 TLSv1.3", "The allowed versions of TLS.")
            { Option = "TlsProtocols", Read = static s => s.Tls.Protocols },
        new("tls-handshake-timeout", new NumberKind(1, SettingBounds.HandshakeSecondsMax, "seconds"), "10",
            "The time limit of a client's handshake.") { Option = "TlsHandshakeTimeout" },
    ];

    private static Directive File(string name, string option, Func<TlsParameters, string> read, string meaning) =>
        new(name, new TextKind("path"), "", meaning) { Option = option, Read = s => OptionText.ToLatin1(read(s.Tls)) };

    private static string? FindVersionProblem(string text) =>
        text.Split(' ', StringSplitOptions.RemoveEmptyEntries)
            .All(static word => _versions.Contains(word, StringComparer.OrdinalIgnoreCase))
            ? null
            : "argument(s) must be one of the following: " + string.Join(", ", _versions);
}
