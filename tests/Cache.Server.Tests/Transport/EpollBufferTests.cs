using System.Buffers;
using System.Net;
using System.Net.Sockets;
using Cache.Server.Transport;
using Cache.Server.Transport.Linux;
using Cache.Server.Transport.Sockets;

namespace Cache.Server.Tests.Transport;

/// <summary>That connections of one loop share its receive buffer and never see each other's bytes.</summary>
public sealed class EpollBufferTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Bytes_ThatTheOwnerKeeps_AreLeftToIt_WhileTheLoopGoesOn()
    {
        if (!EpollTransport.IsSupported)
            return;
        using var epoll = new EpollTransport(1, TimeProvider.System);
        await using var listener = SocketListener.Bind(
            new IPEndPoint(IPAddress.Loopback, 0), new SocketTransportSettings { Listen = epoll.Listen });
        var (keeper, keeperClient) = await ConnectAsync(listener);
        var (other, otherClient) = await ConnectAsync(listener);
        byte[] kept = Enumerable.Repeat((byte)'k', 5000).ToArray();
        await keeperClient.SendAsync(kept, Token);
        var held = await keeper.Input.ReadAtLeastAsync(kept.Length, Token);

        for (int i = 0; i < 20; i++)
        {
            await otherClient.SendAsync(Enumerable.Repeat((byte)i, 20_000).ToArray(), Token);
            var read = await other.Input.ReadAtLeastAsync(20_000, Token);
            Assert.True(read.Buffer.ToArray().All(one => one == i));
            other.Input.AdvanceTo(read.Buffer.End);
        }

        Assert.Equal(kept, held.Buffer.ToArray());
        keeper.Input.AdvanceTo(held.Buffer.GetPosition(1000));
        await keeperClient.SendAsync(kept, Token);
        held = await keeper.Input.ReadAtLeastAsync(9000, Token);
        Assert.Equal(Enumerable.Repeat((byte)'k', 9000), held.Buffer.ToArray());
        keeper.Input.AdvanceTo(held.Buffer.End);
        foreach (var connection in new[] { keeper, other })
            await CloseAsync(connection);
        keeperClient.Dispose();
        otherClient.Dispose();
    }

    // The thread comes back while the next one has lent its own buffer to the same connection.
    [Fact]
    public async Task Buffer_OfALoopThatGotAnotherThread_IsNotTheOneBefore()
    {
        if (!EpollTransport.IsSupported)
            return;
        using var epoll = new EpollTransport(1, TimeProvider.System);
        await using var listener = SocketListener.Bind(
            new IPEndPoint(IPAddress.Loopback, 0), new SocketTransportSettings { Listen = epoll.Listen });
        var (served, client) = await ConnectAsync(listener);
        var (keeper, keeperClient) = await ConnectAsync(listener);
        var (other, otherClient) = await ConnectAsync(listener);
        using var mayGoOn = new ManualResetEventSlim();
        var serving = ServeLongAsync(served, mayGoOn);
        await client.SendAsync("x"u8.ToArray(), Token);
        await ExchangeAsync(other, otherClient, 1); // By the next thread.
        await client.SendAsync("y"u8.ToArray(), Token);
        mayGoOn.Set();
        Assert.Equal("y"u8.ToArray(), await serving);

        byte[] kept = Enumerable.Repeat((byte)'k', 5000).ToArray();
        await keeperClient.SendAsync(kept, Token);
        var held = await keeper.Input.ReadAtLeastAsync(kept.Length, Token);
        for (int i = 0; i < 5; i++)
            await ExchangeAsync(other, otherClient, i);

        Assert.Equal(kept, held.Buffer.ToArray());
        keeper.Input.AdvanceTo(held.Buffer.End);
        foreach (var connection in new[] { served, keeper, other })
            await CloseAsync(connection);
        foreach (var socket in new[] { client, keeperClient, otherClient })
            socket.Dispose();
    }

    private static async Task ExchangeAsync(TransportConnection connection, Socket client, int value)
    {
        byte[] bytes = Enumerable.Repeat((byte)value, 9_000).ToArray();
        await client.SendAsync(bytes, Token);
        var read = await connection.Input.ReadAtLeastAsync(bytes.Length, Token);
        Assert.Equal(bytes, read.Buffer.ToArray());
        connection.Input.AdvanceTo(read.Buffer.End);
    }

    private static async Task<byte[]> ServeLongAsync(TransportConnection served, ManualResetEventSlim mayGoOn)
    {
        var read = await served.Input.ReadAsync(Token).ConfigureAwait(false);
        Assert.True(served.TryBeginLong());
        mayGoOn.Wait(Token);
        Assert.False(served.TryBeginLong(), "The loop has another thread.");
        served.EndLong();
        served.Input.AdvanceTo(read.Buffer.End);
        using var isReceived = new ManualResetEventSlim();
        var next = ReceiveAsync(served, Thread.CurrentThread, isReceived);
        isReceived.Wait(Token);
        return await next.ConfigureAwait(false);
    }

    // On the next thread, which has the bytes until the one before has ended.
    private static async Task<byte[]> ReceiveAsync(
        TransportConnection served, Thread former, ManualResetEventSlim isReceived)
    {
        var read = await served.Input.ReadAsync(Token).ConfigureAwait(false);
        isReceived.Set();
        former.Join();
        byte[] bytes = read.Buffer.ToArray();
        served.Input.AdvanceTo(read.Buffer.End);
        return bytes;
    }

    [Fact]
    public async Task End_WhileALoopExecutesSomethingLong_LeavesIt()
    {
        if (!EpollTransport.IsSupported)
            return;
        var epoll = new EpollTransport(1, TimeProvider.System);
        var listener = SocketListener.Bind(
            new IPEndPoint(IPAddress.Loopback, 0), new SocketTransportSettings { Listen = epoll.Listen });
        var (served, client) = await ConnectAsync(listener);
        using var isBusy = new ManualResetEventSlim();
        using var end = new ManualResetEventSlim();
        var serving = HoldTheLoopAsync(served, isBusy, end);
        await client.SendAsync("x"u8.ToArray(), Token);
        isBusy.Wait(Token);
        await listener.DisposeAsync();

        Assert.Equal(1, epoll.End());

        end.Set();
        await serving;
        epoll.Dispose();
        client.Dispose();
    }

    // It writes no wake for that: the end of the round must take it, or wake the loop for what is left.
    [Theory]
    [InlineData(1)]
    [InlineData(1000)]
    public async Task Work_ThatTheLoopPostsForItself_IsExecutedInOrder(int count)
    {
        if (!EpollTransport.IsSupported)
            return;
        using var epoll = new EpollTransport(1, TimeProvider.System);
        await using var listener = SocketListener.Bind(
            new IPEndPoint(IPAddress.Loopback, 0), new SocketTransportSettings { Listen = epoll.Listen });
        var (served, client) = await ConnectAsync(listener);
        var executed = new List<int>();
        var all = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
        var serving = PostAsync(served, count, executed, all);
        await client.SendAsync("x"u8.ToArray(), Token);
        await serving;

        await all.Task.WaitAsync(TimeSpan.FromMinutes(1), Token);

        Assert.Equal(Enumerable.Range(0, count), executed);
        await CloseAsync(served);
        client.Dispose();
    }

    // A client whose script takes its whole turn posts itself again and again.
    [Fact]
    public async Task Work_ThatTheLoopPostsAgainAndAgain_LetsOtherConnectionsHaveTheirTurns()
    {
        if (!EpollTransport.IsSupported)
            return;
        using var epoll = new EpollTransport(1, TimeProvider.System);
        await using var listener = SocketListener.Bind(
            new IPEndPoint(IPAddress.Loopback, 0), new SocketTransportSettings { Listen = epoll.Listen });
        var (served, client) = await ConnectAsync(listener);
        var (other, otherClient) = await ConnectAsync(listener);
        var reading = other.Input.ReadAsync(Token).AsTask();
        int count = 0;
        var counted = new TaskCompletionSource<int>(TaskCreationOptions.RunContinuationsAsynchronously);
        void Work(object state)
        {
            if (++count == 1)
                otherClient.Send("x"u8);
            Thread.Sleep(1); // The bytes arrive meanwhile.
            if (reading.IsCompleted)
                counted.SetResult(count);
            else
                served.Post(Work, state);
        }

        served.Post(Work, served);

        Assert.InRange(await counted.Task.WaitAsync(TimeSpan.FromMinutes(1), Token), 1, 10);
        other.Input.AdvanceTo((await reading).Buffer.End);
        foreach (var connection in new[] { served, other })
            await CloseAsync(connection);
        foreach (var socket in new[] { client, otherClient })
            socket.Dispose();
    }

    private static async Task PostAsync(
        TransportConnection served, int count, List<int> executed, TaskCompletionSource all)
    {
        var read = await served.Input.ReadAsync(Token).ConfigureAwait(false);
        for (int i = 0; i < count; i++)
        {
            served.Post(
                number =>
                {
                    executed.Add((int)number);
                    if (executed.Count == count)
                        all.SetResult();
                },
                i);
        }

        served.Input.AdvanceTo(read.Buffer.End);
    }

    private static async Task HoldTheLoopAsync(
        TransportConnection served, ManualResetEventSlim isBusy, ManualResetEventSlim end)
    {
        var read = await served.Input.ReadAsync(Token).ConfigureAwait(false);
        isBusy.Set();
        end.Wait(Token);
        served.Input.AdvanceTo(read.Buffer.End);
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Output_ThatIsNotFlushed_StaysHere(RespTransport transport)
    {
        await using var pair = await SocketPair.ConnectAsync(transport);

        pair.Server.Output.Write(new byte[1 << 20]);

        Assert.Equal(1 << 20, pair.Server.Output.UnflushedBytes);
        Assert.Equal(0, pair.Client.Available);
    }

    private static async Task<(TransportConnection Server, Socket Client)> ConnectAsync(SocketListener listener)
    {
        var accepting = listener.AcceptAsync();
        var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        await client.ConnectAsync(listener.EndPoint, Token);
        return ((await accepting)!, client);
    }

    private static async Task CloseAsync(TransportConnection connection)
    {
        connection.Abort();
        await connection.Input.CompleteAsync();
        await connection.Output.CompleteAsync();
        await connection.DisposeAsync();
    }
}
