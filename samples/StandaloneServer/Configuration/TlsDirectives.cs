using System.Security.Authentication;
using Cache.Server;

namespace StandaloneServer.Configuration;

/// <summary>
/// The directives of TLS under Redis's names, and tls-pfx-file, tls-client-user and tls-handshake-timeout.
/// </summary>
internal static class TlsDirectives
{
    public static IReadOnlyList<Directive> All { get; } =
    [
        new("tls-port", "number", "0", "The TCP port for TLS; 0 for none.",
            static (given, to) => to.Server.TlsPort = given.Port()) { Option = nameof(RespServerOptions.TlsPort) },
        new("tls-cert-file", "path", "none", "The server's certificate in PEM, and after it those up to its root.",
            static (given, to) => to.Server.TlsCertificateFile = given.TextOrNull())
            { Option = nameof(RespServerOptions.TlsCertificateFile) },
        new("tls-key-file", "path", "none", "The certificate's private key in PEM.",
            static (given, to) => to.Server.TlsKeyFile = given.TextOrNull())
            { Option = nameof(RespServerOptions.TlsKeyFile) },
        new("tls-key-file-pass", "password", "none", "The password of the key file or of the PFX file.",
            static (given, to) => to.Server.TlsKeyFilePassword = given.TextOrNull())
            { Option = nameof(RespServerOptions.TlsKeyFilePassword) },
        new("tls-pfx-file", "path", "none", "Certificate, chain and key in one PFX file, instead of two in PEM.",
            static (given, to) => to.Server.TlsPfxFile = given.TextOrNull())
            { Option = nameof(RespServerOptions.TlsPfxFile) },
        new("tls-ca-cert-file", "path", "the machine's", "What clients' certificates must come from, in PEM.",
            static (given, to) => to.Server.TlsCaCertificateFile = given.TextOrNull())
            { Option = nameof(RespServerOptions.TlsCaCertificateFile) },
        new("tls-auth-clients", "yes|no|optional", "yes", "Whether clients must show a certificate.",
            static (given, to) => to.Server.TlsClientAuthentication = given.OneOf(
                ("yes", TlsClientAuthentication.Required),
                ("no", TlsClientAuthentication.None),
                ("optional", TlsClientAuthentication.Optional)))
            { Option = nameof(RespServerOptions.TlsClientAuthentication) },
        new("tls-client-user", "name user", "none",
            "The user of who shows a certificate of that DNS name, e-mail, URI, or sha256:thumbprint. Many times.",
            static (given, to) => AddClientUser(given, to.Server))
            { IsList = true, IsRepeated = true, Option = nameof(RespServerOptions.TlsClientUsers) },
        new("tls-protocols", "versions", "TLSv1.2 TLSv1.3", "The versions of TLS that are spoken.",
            static (given, to) => to.Server.TlsProtocols = Protocols(given))
            { IsList = true, Option = nameof(RespServerOptions.TlsProtocols) },
        new("tls-handshake-timeout", "seconds", "10", "Disconnect a client that has not ended its handshake by then.",
            static (given, to) => to.Server.TlsHandshakeTimeout = given.Seconds())
            { Option = nameof(RespServerOptions.TlsHandshakeTimeout) },
    ];

    private static void AddClientUser(Setting given, RespServerOptions server)
    {
        if (given.Text.Length == 0)
            return;
        if (given.Values is not [var name, var user])
            throw given.Wrong("a name of a certificate, or sha256: and its thumbprint, and a user");
        server.TlsClientUsers = new Dictionary<string, string>(server.TlsClientUsers) { [name] = user };
    }

    // Redis takes them as one word with blanks, and none for its own choice.
    private static SslProtocols Protocols(Setting given)
    {
        var protocols = SslProtocols.None;
        foreach (string name in given.Text.Split(' ', StringSplitOptions.RemoveEmptyEntries))
        {
            protocols |= (given with { Values = [name] }).OneOf(
                ("TLSv1.2", SslProtocols.Tls12), ("TLSv1.3", SslProtocols.Tls13));
        }

        return protocols == SslProtocols.None ? new RespServerOptions().TlsProtocols : protocols;
    }
}
