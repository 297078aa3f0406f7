using System.Net;

namespace Cache.Server.Transport.Tls;

/// <summary>Wraps the connections that another listener accepts in TLS.</summary>
internal sealed class TlsListener(TransportListener listener, TlsSettings settings, TlsCertificateSource certificates)
    : TransportListener
{
    public override EndPoint EndPoint => listener.EndPoint;

    public override async ValueTask<TransportConnection?> AcceptAsync() =>
        await listener.AcceptAsync().ConfigureAwait(false) is { } connection
            ? new TlsConnection(connection, settings, certificates.Current)
            : null;

    public override void Close() => listener.Close();

    public override void SetUpAgain() => listener.SetUpAgain();
}
