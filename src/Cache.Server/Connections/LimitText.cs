using System.Globalization;
using Cache.Server.Clients;

namespace Cache.Server.Connections;

/// <summary>The log's text for a limit that was met, behind the client's address.</summary>
internal static class LimitText
{
    /// <summary>How often the same happened without a line; empty if it did not.</summary>
    public static string Repeats(long unlogged) =>
        unlogged == 0
            ? ""
            : string.Create(CultureInfo.InvariantCulture, $" ({unlogged} more since the last line of this kind)");

    public static string Describe(ConnectionLimit limit, long value) => string.Format(
        CultureInfo.InvariantCulture,
        limit switch
        {
            ConnectionLimit.MaxClients => "was refused: {0} are connected",
            ConnectionLimit.AcceptRate => "was accepted, and the next ones wait: more than {0} came within a second",
            ConnectionLimit.ProtectedMode => "was refused: protected mode is on and the default user has no password",
            ConnectionLimit.QueryBuffer => "sent more than {0} bytes of one request and is disconnected",
            ConnectionLimit.OutputBuffer => "asked for more than {0} bytes of replies and is disconnected",
            ConnectionLimit.OutputTimeout => "took none of its replies for {0} seconds and is disconnected",
            ConnectionLimit.ClientMemory => "holds {0} bytes and is disconnected: all clients together hold too many",
            ConnectionLimit.IdleTimeout => "was silent for {0} seconds and is disconnected",
            ConnectionLimit.PartialRequestTimeout => "left a request unfinished for {0} seconds and is disconnected",
            ConnectionLimit.UnauthenticatedBytes =>
                "sent more than {0} bytes without authentication and is disconnected",
            ConnectionLimit.AuthenticationTimeout => "did not authenticate within {0} seconds and is disconnected",
            ConnectionLimit.Http =>
                "sent an HTTP request, perhaps from a tricked browser, and is disconnected",
            ConnectionLimit.Tls => "speaks TLS on a port without TLS and is disconnected",
            ConnectionLimit.NoTls => "does not speak TLS on a TLS port and is disconnected",
            ConnectionLimit.TlsHandshake =>
                "failed the TLS handshake and is disconnected (loglevel debug says why)",
            ConnectionLimit.AuthenticationFailure => "gave a wrong user or password",
            ConnectionLimit.AuthenticationDelay => "waits {0} ms for an answer after wrong passwords",
            ConnectionLimit.CommandDenied => "asked for a command that its user may not run",
            ConnectionLimit.ChannelDenied => "asked for a channel that its user may not use",
            ConnectionLimit.KeyDenied => "asked for a key that its user may not use in this way",
            ConnectionLimit.CertificateUser =>
                "showed a certificate whose user does not exist or is off (ACL LOG names it)",
            _ => throw new ArgumentOutOfRangeException(nameof(limit), limit, "Unknown."),
        },
        value);
}
