using System.Net;
using System.Net.Sockets;
using Cache.Server.Transport;
using Cache.Server.Transport.Linux;
using Cache.Server.Transport.Sockets;

namespace Cache.Server.Tests.Transport;

/// <summary>A listener, a client's socket, and the connection that the listener made of it.</summary>
internal sealed class SocketPair : IAsyncDisposable
{
    private readonly SocketListener _listener;
    private readonly EpollTransport? _epoll;

    private readonly bool _isFirst;

    private SocketPair(
        SocketListener listener, Socket client, TransportConnection server, EpollTransport? epoll, bool isFirst)
    {
        _isFirst = isFirst;
        _listener = listener;
        _epoll = epoll;
        Client = client;
        Server = server;
    }

    public Socket Client { get; }

    public TransportConnection Server { get; }

    /// <summary>The transports that this system has.</summary>
    public static TheoryData<RespTransport> Transports { get; } = EpollTransport.IsSupported
        ? [RespTransport.Portable, RespTransport.Epoll]
        : [RespTransport.Portable];

    /// <summary>The one that a server of this system has if it is not told.</summary>
    public static RespTransport Usual { get; } =
        EpollTransport.IsSupported ? RespTransport.Epoll : RespTransport.Portable;

    public static Task<SocketPair> ConnectAsync(RespTransport transport = RespTransport.Portable) =>
        ConnectAsync(new IPEndPoint(IPAddress.Loopback, 0), transport: transport);

    public static async Task<SocketPair> ConnectAsync(
        EndPoint endPoint,
        SocketTransportSettings? settings = null,
        RespTransport transport = RespTransport.Portable)
    {
        settings ??= new SocketTransportSettings();
        var epoll = transport == RespTransport.Epoll ? new EpollTransport(1, settings.TimeProvider) : null;
        var listener = SocketListener.Bind(endPoint, settings with { Listen = epoll is null ? null : epoll.Listen });
        return await ConnectAsync(listener, endPoint, epoll, isFirst: true);
    }

    private static async Task<SocketPair> ConnectAsync(
        SocketListener listener, EndPoint endPoint, EpollTransport? epoll, bool isFirst)
    {
        var accepting = listener.AcceptAsync();
        var protocol = endPoint is UnixDomainSocketEndPoint ? ProtocolType.Unspecified : ProtocolType.Tcp;
        var client = new Socket(endPoint.AddressFamily, SocketType.Stream, protocol);
        await client.ConnectAsync(listener.EndPoint, TestContext.Current.CancellationToken);
        return new SocketPair(listener, client, (await accepting)!, epoll, isFirst);
    }

    /// <summary>Another pair of the same listener and loop, which is to be disposed of before.</summary>
    public Task<SocketPair> ConnectAnotherAsync() =>
        ConnectAsync(_listener, _listener.EndPoint, _epoll, isFirst: false);

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

    /// <summary>Lets the client receive so many bytes.</summary>
    public async Task ReceiveAsync(long count)
    {
        byte[] piece = new byte[100_000];
        while (count > 0)
            count -= await Client.ReceiveAsync(piece, TestContext.Current.CancellationToken);
    }

    public async ValueTask DisposeAsync()
    {
        Client.Dispose();
        Server.Abort();
        await Server.Input.CompleteAsync();
        await Server.Output.CompleteAsync();
        await Server.DisposeAsync();
        if (!_isFirst)
            return;
        await _listener.DisposeAsync();
        _epoll?.Dispose();
    }
}
