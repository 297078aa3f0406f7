using System.Net;
using System.Net.Sockets;
using Cache.Server.Transport;
using Cache.Server.Transport.Linux;
using Cache.Server.Transport.Sockets;
using Cache.Testing;

namespace Cache.Server.Tests.Transport;

public sealed class SocketListenerTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Bind_PortZero_TellsThePortThatTheSystemChose()
    {
        await using var listener = SocketListener.Bind(new IPEndPoint(IPAddress.Loopback, 0), new());

        Assert.InRange(((IPEndPoint)listener.EndPoint).Port, 1, 65535);
    }

    [Fact]
    public async Task Bind_AddressInUse_Throws()
    {
        await using var listener = SocketListener.Bind(new IPEndPoint(IPAddress.Loopback, 0), new());

        var error = Assert.Throws<SocketException>(() => SocketListener.Bind(listener.EndPoint, new()));
        Assert.Equal(SocketError.AddressAlreadyInUse, error.SocketErrorCode);
    }

    [Fact]
    public async Task Bind_PortWhoseConnectionsLinger_Succeeds()
    {
        var listener = SocketListener.Bind(new IPEndPoint(IPAddress.Loopback, 0), new());
        using (var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp))
        {
            await client.ConnectAsync(listener.EndPoint, Token);
            var connection = await listener.AcceptAsync();
            await listener.DisposeAsync();
            await connection!.Input.CompleteAsync();
            await connection.Output.CompleteAsync();
            var closing = connection.DisposeAsync();
            Assert.Equal(0, await client.ReceiveAsync(new byte[1], Token));
            client.Dispose();
            await closing;
        }

        await using var again = SocketListener.Bind(listener.EndPoint, new());
        Assert.Equal(listener.EndPoint, again.EndPoint);
    }

    [Fact]
    public async Task Bind_IPv6AndIPv4OfOnePort_AreTwoListeners()
    {
        if (!Loopback.HasVersion6)
            return;
        await using var four = SocketListener.Bind(new IPEndPoint(IPAddress.Any, 0), new());
        int port = ((IPEndPoint)four.EndPoint).Port;
        await using var six = SocketListener.Bind(new IPEndPoint(IPAddress.IPv6Any, port), new());

        Assert.Equal(AddressFamily.InterNetworkV6, six.EndPoint.AddressFamily);
    }

    [Fact]
    public async Task Accept_Tcp_SetsNoDelayAndKeepAlive()
    {
        Socket? accepted = null;
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        socket.Listen();
        await using var listener = new SocketListener(
            socket, new() { KeepAliveSeconds = 300 }, async token => accepted = await socket.AcceptAsync(token));
        using var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await client.ConnectAsync(listener.EndPoint, Token);

        var connection = await listener.AcceptAsync();

        AssertIsSetUp(accepted!);
        connection!.Abort();
    }

    [Fact]
    public async Task Accept_TcpByAnEventLoop_SetsNoDelayAndKeepAlive()
    {
        if (!EpollTransport.IsSupported)
            return;
        await using var pair = await SocketPair.ConnectAsync(
            new IPEndPoint(IPAddress.Loopback, 0), new() { KeepAliveSeconds = 300 }, RespTransport.Epoll);
        var connection = (EpollConnection)pair.Server;

        using var handle = new SafeSocketHandle(connection.Descriptor, ownsHandle: false);
        AssertIsSetUp(new Socket(handle));
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Accept_OnAnAddressOrAll_TellsBothAddresses(RespTransport transport)
    {
        IPAddress[] ofVersion6 = Loopback.HasVersion6 ? [IPAddress.IPv6Loopback, IPAddress.IPv6Any] : [];
        foreach (var address in (IPAddress[])[IPAddress.Loopback, IPAddress.Any, .. ofVersion6])
        {
            using var epoll = transport == RespTransport.Epoll ? new EpollTransport(1, TimeProvider.System) : null;
            await using var listener = Bind(address, epoll);
            bool isVersion6 = address.AddressFamily == AddressFamily.InterNetworkV6;
            var loopback = isVersion6 ? IPAddress.IPv6Loopback : IPAddress.Loopback;
            for (int i = 0; i < 3; i++)
            {
                using var client = new Socket(address.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
                await client.ConnectAsync(loopback, ((IPEndPoint)listener.EndPoint).Port, Token);

                var connection = await listener.AcceptAsync();

                Assert.Equal(client.LocalEndPoint, connection!.RemoteEndPoint);
                Assert.Equal(client.RemoteEndPoint, connection.LocalEndPoint);
                connection.Abort();
            }
        }
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Accept_ManyAtOnceAndOneByOne_TakesEach(RespTransport transport)
    {
        const int Count = 100;
        using var epoll = transport == RespTransport.Epoll ? new EpollTransport(2, TimeProvider.System) : null;
        await using var listener = Bind(IPAddress.Loopback, epoll);
        var clients = new List<Socket>();
        for (int round = 0; round < 2; round++)
        {
            var accepting = listener.AcceptAsync();
            for (int i = 0; i < Count; i++)
            {
                var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
                clients.Add(client);
                await client.ConnectAsync(listener.EndPoint, Token);
            }

            for (int i = 0; i < Count; i++)
            {
                var connection = await accepting;
                Assert.Equal(clients[round * Count + i].LocalEndPoint, connection!.RemoteEndPoint);
                connection.Abort();
                if (i < Count - 1)
                    accepting = listener.AcceptAsync();
            }
        }

        clients.ForEach(static client => client.Dispose());
    }

    // The second connection is the first loop's, which then has no time; the third is the second's.
    [Fact]
    public async Task Accept_WhileALoopIsBusy_GoesOn()
    {
        if (!EpollTransport.IsSupported)
            return;
        using var epoll = new EpollTransport(2, TimeProvider.System);
        await using var listener = Bind(IPAddress.Loopback, epoll);
        using var free = new ManualResetEventSlim();
        var busy = new List<Task>();
        var clients = new List<Socket>();
        try
        {
            for (int i = 0; i < 3; i++)
            {
                var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
                clients.Add(client);
                var accepting = listener.AcceptAsync().AsTask();
                await client.ConnectAsync(listener.EndPoint, Token);

                var connection = await accepting.WaitAsync(TimeSpan.FromSeconds(10), Token);

                if (i == 1)
                    busy.Add(await KeepBusyAsync(connection!, client, free));
                else
                    connection!.Abort();
            }
        }
        finally
        {
            free.Set();
            await Task.WhenAll(busy);
            clients.ForEach(static client => client.Dispose());
        }
    }

    // Clients that were cut off by a restart try again and again, and come between any two calls of the server.
    [Fact]
    public async Task Accept_OfOneWhoCameAsListeningBegan_SetsNoDelay()
    {
        if (!EpollTransport.IsSupported)
            return;
        using var epoll = new EpollTransport(1, TimeProvider.System);
        using var stop = new CancellationTokenSource();
        int port = 0;
        var connecting = Enumerable.Range(0, 3).Select(_ => Task.Factory.StartNew(
            () =>
            {
                while (!stop.IsCancellationRequested)
                {
                    if (Volatile.Read(ref port) is var to && to == 0)
                        continue;
                    using var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
                    try
                    {
                        client.Connect(IPAddress.Loopback, to);
                    }
                    catch (SocketException)
                    {
                        // Nobody listens yet, or no more.
                    }
                }
            },
            Token, TaskCreationOptions.LongRunning, TaskScheduler.Default)).ToList();
        int bad = 0;
        for (int round = 0; round < 100; round++)
        {
            using (var probe = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp))
            {
                probe.Bind(new IPEndPoint(IPAddress.Loopback, 0));
                Volatile.Write(ref port, ((IPEndPoint)probe.LocalEndPoint!).Port);
            }

            Thread.Sleep(1);
            SocketListener listener;
            try
            {
                listener = SocketListener.Bind(
                    new IPEndPoint(IPAddress.Loopback, port), new() { KeepAliveSeconds = 300, Listen = epoll.Listen });
            }
            catch (SocketException)
            {
                continue; // A client that connected to itself has the port.
            }

            await using (listener)
            {
                for (int i = 0; i < 3; i++)
                {
                    var connection = (EpollConnection)(await listener.AcceptAsync())!;
                    using var handle = new SafeSocketHandle(connection.Descriptor, ownsHandle: false);
                    if (!new Socket(handle).NoDelay)
                        bad++;
                    connection.Abort();
                    await connection.Input.CompleteAsync();
                    await connection.Output.CompleteAsync();
                    _ = connection.DisposeAsync().AsTask();
                }
            }
        }

        stop.Cancel();
        await Task.WhenAll(connecting);
        Assert.Equal(0, bad);
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Dispose_WhileAccepting_EndsWithNull(RespTransport transport)
    {
        using var epoll = transport == RespTransport.Epoll ? new EpollTransport(1, TimeProvider.System) : null;
        var listener = Bind(IPAddress.Loopback, epoll);
        var accepting = listener.AcceptAsync();

        await listener.DisposeAsync();

        Assert.Null(await accepting);
        Assert.Null(await listener.AcceptAsync());
    }

    [Fact]
    public async Task Accept_OutOfDescriptors_BacksOffLongerEachTimeAndRecovers()
    {
        var clock = new FakeTimeProvider();
        var delays = new List<TimeSpan>();
        int failures = 9;
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        socket.Listen();
        var settings = new SocketTransportSettings
        {
            TimeProvider = clock,
            AcceptFailed = (_, _, delay) => delays.Add(delay),
        };
        await using var listener = new SocketListener(
            socket, settings,
            token => failures-- > 0 ? Throw(SocketError.TooManyOpenSockets) : socket.AcceptAsync(token));
        using var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await client.ConnectAsync(listener.EndPoint, Token);

        var accepting = listener.AcceptAsync().AsTask();
        while (failures > 0)
        {
            Assert.False(accepting.IsCompleted);
            clock.Advance(1000);
            await Task.Yield();
        }

        clock.Advance(1000);
        var connection = await accepting;
        Assert.NotNull(connection);
        connection.Abort();
        Assert.Equal([10, 20, 40, 80, 160, 320, 640, 1000, 1000], delays.Select(delay => delay.TotalMilliseconds));
    }

    [Fact]
    public async Task Accept_DescriptorsNearlyOut_LosesNoArrival()
    {
        var clock = new FakeTimeProvider();
        var delays = new List<TimeSpan>();
        bool lacksDescriptors = true;
        var settings = new SocketTransportSettings
        {
            TimeProvider = clock,
            AcceptFailed = (_, _, delay) => delays.Add(delay),
            LacksDescriptors = () => lacksDescriptors,
        };
        await using var listener = SocketListener.Bind(new IPEndPoint(IPAddress.Loopback, 0), settings);
        using var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await client.ConnectAsync(listener.EndPoint, Token);

        var accepting = listener.AcceptAsync().AsTask();
        Assert.Single(delays);
        lacksDescriptors = false;
        clock.Advance(1000);

        var connection = await accepting;
        Assert.Equal(client.LocalEndPoint, connection!.RemoteEndPoint);
        Assert.Single(delays);
        connection.Abort();
    }

    [Fact]
    public Task Accept_ArrivalThatIsGone_TakesTheNext() =>
        AssertGoesOnAfterAsync(new SocketException((int)SocketError.ConnectionReset));

    // As macOS's runtime does (dotnet/runtime#121848).
    [Fact]
    public Task Accept_OfAPeerWithoutAnAddress_GoesOnToTheNext() =>
        AssertGoesOnAfterAsync(new ArgumentException("Its size is wrong."));

    private static async Task AssertGoesOnAfterAsync(Exception failure)
    {
        int failures = 3;
        using var socket = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        socket.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        socket.Listen();
        await using var listener = new SocketListener(
            socket, new(), token => failures-- > 0 ? throw failure : socket.AcceptAsync(token));
        using var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await client.ConnectAsync(listener.EndPoint, Token);

        var connection = await listener.AcceptAsync();

        Assert.NotNull(connection);
        connection.Abort();
    }

    /// <summary>Keeps the thread that brings a connection's bytes until an event.</summary>
    private static async Task<Task> KeepBusyAsync(
        TransportConnection connection, Socket client, ManualResetEventSlim free)
    {
        var begun = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var busy = ReadAsync();
        await client.SendAsync(new byte[1], Token);
        await begun.Task.WaitAsync(Token);
        return busy;

        async Task ReadAsync()
        {
            await connection.Input.ReadAsync(Token).ConfigureAwait(false);
            begun.SetResult();
            free.Wait(Token);
            connection.Abort();
        }
    }

    private static ValueTask<Socket> Throw(SocketError error) => throw new SocketException((int)error);

    private static SocketListener Bind(IPAddress address, EpollTransport? epoll) => SocketListener.Bind(
        new IPEndPoint(address, 0), new SocketTransportSettings { Listen = epoll is null ? null : epoll.Listen });

    private static void AssertIsSetUp(Socket socket)
    {
        Assert.True(socket.NoDelay);
        Assert.NotEqual(0, socket.GetSocketOption(SocketOptionLevel.Socket, SocketOptionName.KeepAlive));
        Assert.Equal(300, socket.GetSocketOption(SocketOptionLevel.Tcp, SocketOptionName.TcpKeepAliveTime));
        Assert.Equal(100, socket.GetSocketOption(SocketOptionLevel.Tcp, SocketOptionName.TcpKeepAliveInterval));
    }
}
