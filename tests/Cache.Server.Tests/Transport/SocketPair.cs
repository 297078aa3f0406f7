using System.Net;
using System.Net.Sockets;
using Cache.Server.Transport;

namespace Cache.Server.Tests.Transport;

/// <summary>A listener, a client's socket, and the connection that the listener made of it.</summary>
internal sealed class SocketPair : IAsyncDisposable
{
    private readonly SocketListener _listener;

    private SocketPair(SocketListener listener, Socket client, TransportConnection server)
    {
        _listener = listener;
        Client = client;
        Server = server;
    }

    public Socket Client { get; }

    public TransportConnection Server { get; }

    public static Task<SocketPair> ConnectAsync() => ConnectAsync(new IPEndPoint(IPAddress.Loopback, 0));

    public static async Task<SocketPair> ConnectAsync(EndPoint endPoint, SocketTransportSettings? settings = null)
    {
        var listener = SocketListener.Bind(endPoint, settings ?? new SocketTransportSettings());
        var accepting = listener.AcceptAsync();
        var protocol = endPoint is UnixDomainSocketEndPoint ? ProtocolType.Unspecified : ProtocolType.Tcp;
        var client = new Socket(endPoint.AddressFamily, SocketType.Stream, protocol);
        await client.ConnectAsync(listener.EndPoint, TestContext.Current.CancellationToken);
        return new SocketPair(listener, client, (await accepting)!);
    }

    /// <summary>What the client receives until the server has closed.</summary>
    public async Task<byte[]> ReceiveToEndAsync()
    {
        var received = new MemoryStream();
        byte[] piece = new byte[100_000];
        int count;
        while ((count = await Client.ReceiveAsync(piece, TestContext.Current.CancellationToken)) > 0)
            received.Write(piece, 0, count);
        return received.ToArray();
    }

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        Server.Abort();
        await Server.Input.CompleteAsync();
        await Server.Output.CompleteAsync();
        await Server.DisposeAsync();
        await _listener.DisposeAsync();
    }
}
