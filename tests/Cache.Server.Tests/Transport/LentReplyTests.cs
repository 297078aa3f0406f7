using System.Net.Sockets;
using System.Text;
using Cache.Server.Transport;
using Cache.Server.Transport.Linux;

namespace Cache.Server.Tests.Transport;

/// <summary>Large values, which the event loops send from where they lie in the store.</summary>
public sealed class LentReplyTests : TransportTestBase
{
    private const int Length = 2_000_000;

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Gets_OfLargeAndSmallValuesInTurn_AreAnsweredInOrder(RespTransport transport)
    {
        await using var server = await StartAsync(transport);
        using var client = Connect(server);
        var requests = new StringBuilder();
        var replies = new MemoryStream();
        for (int i = 0; i < 40; i++)
        {
            byte[] value = Pattern(i, i % 3 == 0 ? Length / 10 : i % 3 == 1 ? i : Length / 7);
            Store.Set(Encoding.ASCII.GetBytes($"k{i}"), value);
            requests.Append($"GET k{i}\r\n");
            replies.Write(Bulk(value));
        }

        var sending = SendAllAsync(client, Encoding.ASCII.GetBytes(requests.ToString()));
        byte[] got = new byte[replies.Length];
        await ReceiveAllAsync(client, got);
        await sending;

        Assert.True(got.AsSpan().SequenceEqual(replies.ToArray()));
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Value_ThatChangesWhileItIsSent_ArrivesAsItWas(RespTransport transport)
    {
        await using var server = await StartAsync(transport);
        using var client = Connect(server);
        byte[] value = Pattern(1, 20 * Length);
        Store.Set("k"u8, value);
        await BeginToReceiveAsync(server, client);

        Store.SetRange("k"u8, 0, Pattern(2, 1000), out _);
        Store.SetRange("k"u8, value.Length - 1000, Pattern(2, 1000), out _);
        Store.Set("k"u8, Pattern(3, 20 * Length));
        Store.Remove("k"u8);
        for (int i = 0; i < 3; i++)
            Store.Set("k"u8, Pattern(4, 20 * Length));

        byte[] got = new byte[Bulk(value).Length - 1];
        await ReceiveAllAsync(client, got);
        Assert.True(got.AsSpan().SequenceEqual(Bulk(value).AsSpan(1)));
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Client_ThatVanishes_HoldsNothingMore(RespTransport transport)
    {
        await using var server = await StartAsync(transport);
        Store.Set("k"u8, "so that its segment is there"u8);
        long before = Store.GetStatistics().MemoryBytes;
        Store.Set("k"u8, Pattern(1, 20 * Length));
        var client = Connect(server);
        await BeginToReceiveAsync(server, client);
        Store.Remove("k"u8);
        Assert.InRange(Store.GetStatistics().MemoryBytes - before, 20 * Length, long.MaxValue);

        client.LingerState = new LingerOption(enable: true, seconds: 0);
        client.Dispose();

        Assert.True(SpinWait.SpinUntil(
            () => Store.GetStatistics().MemoryBytes - before < Length, TimeSpan.FromSeconds(30)));
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Stop_WhileAClientDoesNotRead_FreesWhatItHolds(RespTransport transport)
    {
        var server = await StartAsync(transport);
        Store.Set("k"u8, "so that its segment is there"u8);
        long before = Store.GetStatistics().MemoryBytes;
        Store.Set("k"u8, Pattern(1, 20 * Length));
        using var client = Connect(server);
        await BeginToReceiveAsync(server, client);
        Store.Remove("k"u8);

        using var impatience = new CancellationTokenSource(TimeSpan.FromSeconds(1));
        await server.StopAsync(impatience.Token);
        await server.DisposeAsync();

        Assert.InRange(Store.GetStatistics().MemoryBytes - before, long.MinValue, Length);
    }

    [Fact]
    public async Task Clients_ThatDoNotRead_HoldTheSameValueOnce()
    {
        if (!EpollTransport.IsSupported)
            return;
        await using var server = await StartAsync(RespTransport.Epoll);
        Store.Set("k"u8, Pattern(1, 20 * Length));
        long before = Store.GetStatistics().MemoryBytes;
        var clients = Enumerable.Range(0, 4).Select(_ => Connect(server)).ToArray();
        foreach (var client in clients)
            await BeginToReceiveAsync(server, client);

        Assert.InRange(Store.GetStatistics().MemoryBytes - before, 0, Length);
        Assert.InRange(server.State.ClientMemory.Bytes, 4 * 20 * Length, (4 * 20 * Length) + Length);
        Array.ForEach(clients, client => client.Dispose());
        Assert.True(SpinWait.SpinUntil(() => server.State.ClientMemory.Bytes == 0, TimeSpan.FromSeconds(30)));
    }

    [Theory]
    [InlineData(false, false)]
    [InlineData(false, true)]
    [InlineData(true, false)]
    [InlineData(true, true)]
    public async Task LentBytes_AreGivenBackOnce_SentOrNot(bool isRead, bool isAborted)
    {
        if (!EpollTransport.IsSupported)
            return;
        await using var pair = await SocketPair.ConnectAsync(RespTransport.Epoll);
        var output = (LendingPipeWriter)pair.Server.Output;
        var lent = Enumerable.Range(0, 5).Select(i => new CountedBytes(Pattern(i, 3 * Length))).ToArray();
        foreach (var bytes in lent)
            output.Write(bytes);
        Assert.Equal(15 * Length, output.UnflushedBytes);

        var flush = output.FlushAsync(Token);
        Assert.False(flush.IsCompleted);
        Assert.Equal(0, lent[^1].DisposedCount);
        if (isRead)
            await pair.ReceiveAsync(15 * Length);
        else
            pair.Client.Dispose();
        if (isAborted)
            pair.Server.Abort();
        await flush;
        pair.Client.Dispose();
        output.Write(lent[0]);
        await output.FlushAsync(Token);
        await output.CompleteAsync();

        Assert.True(SpinWait.SpinUntil(() => lent.All(one => one.DisposedCount > 0), TimeSpan.FromSeconds(30)));
        Assert.Equal([2, 1, 1, 1, 1], lent.Select(one => one.DisposedCount));
    }

    [Fact]
    public async Task Flush_OfLentBytes_WaitsUntilTheyAreSent()
    {
        if (!EpollTransport.IsSupported)
            return;
        await using var pair = await SocketPair.ConnectAsync(RespTransport.Epoll);
        await using var other = await pair.ConnectAnotherAsync();
        var output = (LendingPipeWriter)pair.Server.Output;
        int taken = await FillAsync(pair, other);
        var lent = new CountedBytes(Pattern(1, 100));

        output.Write(lent);
        var flush = output.FlushAsync(Token);

        Assert.False(flush.IsCompleted);
        Assert.Equal(0, lent.DisposedCount);
        await pair.ReceiveAsync(taken + 100);
        await flush;
        Assert.Equal(1, lent.DisposedCount);
        Assert.Equal(0, pair.Server.UnsentMemoryBytes);
    }

    [Fact]
    public async Task Flush_OfMuchToAFastReader_LeavesTheRestToTheNextTurn()
    {
        if (!EpollTransport.IsSupported)
            return;
        await using var pair = await SocketPair.ConnectAsync(RespTransport.Epoll);
        await using var other = await pair.ConnectAnotherAsync();
        using var isBusy = new ManualResetEventSlim();
        using var goOn = new ManualResetEventSlim();
        var busy = KeepLoopBusyAsync(other, isBusy, goOn);
        await SendAllAsync(other.Client, [1]);
        isBusy.Wait(Token);
        var output = (LendingPipeWriter)pair.Server.Output;
        var received = pair.ReceiveAsync(30 * Length);

        output.Write(new CountedBytes(Pattern(1, 30 * Length)));
        var flush = output.FlushAsync(Token);
        Assert.InRange(pair.Server.SentBytes, 1, EpollOutput.TurnBytes);

        goOn.Set();
        await flush;
        await received;
        await busy;
        Assert.Equal(30 * Length, pair.Server.SentBytes);
    }

    [Fact]
    public async Task Flushes_OfAMegabyteEachInOneTurn_LeaveTheRestToTheNextTurn()
    {
        if (!EpollTransport.IsSupported)
            return;
        const int Count = 200;
        await using var pair = await SocketPair.ConnectAsync(RespTransport.Epoll);
        var received = pair.ReceiveAsync(Count * 1_000_000L);
        var sending = SendManyAsync(pair, Count);
        await SendAllAsync(pair.Client, [1]);

        Assert.InRange(await sending, 1, EpollOutput.TurnBytes);
        await received;
    }

    // A hundred clients that each ask for megabytes are one wait of all others.
    [Fact]
    public async Task Flushes_OfAMegabyteByManyConnectionsInOneRound_AreShort()
    {
        if (!EpollTransport.IsSupported)
            return;
        const int Count = 40;
        await using var first = await SocketPair.ConnectAsync(RespTransport.Epoll);
        var others = new List<SocketPair>();
        for (int i = 0; i < Count; i++)
            others.Add(await first.ConnectAnotherAsync());
        var sending = SendOnceEachAsync(first, others);
        await SendAllAsync(first.Client, [1]);

        const int RoundMax = EpollLoop.RoundBytes + EpollOutput.TurnBytes + (Count * EpollOutput.CrowdedTurnBytes);
        Assert.InRange(await sending, EpollLoop.RoundBytes, RoundMax);
        foreach (var other in others)
            await other.DisposeAsync();
    }

    // On the loop's thread, hence in one turn of it, which is part of one round.
    private static async Task<long> SendOnceEachAsync(SocketPair first, List<SocketPair> others)
    {
        var read = await first.Server.Input.ReadAsync(Token);
        first.Server.Input.AdvanceTo(read.Buffer.End);
        foreach (var other in others)
        {
            var output = (LendingPipeWriter)other.Server.Output;
            output.Write(new CountedBytes(new byte[1_000_000]));
            _ = output.FlushAsync(Token);
        }

        long sent = others.Sum(static other => other.Server.SentBytes);
        await Task.Yield(); // The end of a pair waits for its loop.
        return sent;
    }

    // As a connection does with pipelined GETs: on the loop's thread, for as long as no flush waits.
    private static async Task<long> SendManyAsync(SocketPair pair, int count)
    {
        var output = (LendingPipeWriter)pair.Server.Output;
        var read = await pair.Server.Input.ReadAsync(Token);
        pair.Server.Input.AdvanceTo(read.Buffer.End);
        long most = 0;
        long turnStart = 0;
        for (int i = 0; i < count; i++)
        {
            output.Write(new CountedBytes(new byte[1_000_000]));
            var flush = output.FlushAsync(Token);
            most = Math.Max(most, pair.Server.SentBytes - turnStart);
            if (flush.IsCompleted)
                continue;
            await flush;
            turnStart = pair.Server.SentBytes; // Without what the loop sent in this turn.
        }

        return most;
    }

    // Until the socket refuses a little, and the transport still takes more.
    private static async Task<int> FillAsync(SocketPair pair, SocketPair other)
    {
        int written = 0;
        while (pair.Server.UnsentMemoryBytes == 0)
        {
            pair.Server.Output.GetSpan(1000)[..1000].Clear();
            pair.Server.Output.Advance(1000);
            Assert.True(pair.Server.Output.FlushAsync(Token).IsCompleted);
            written += 1000;
            if (pair.Server.UnsentMemoryBytes == 0)
                continue;

            // The next turn of the loop may send it, and the one after what the system has made room for meanwhile.
            await Task.Delay(100, Token);
            await AwaitTurnAsync(other);
            await AwaitTurnAsync(other);
        }

        return written;
    }

    // The loop asks what is ready anew, and meets this connection and all others that are.
    private static async Task AwaitTurnAsync(SocketPair other)
    {
        await SendAllAsync(other.Client, [1]);
        var read = await other.Server.Input.ReadAsync(Token);
        other.Server.Input.AdvanceTo(read.Buffer.End);
    }

    // An owner runs on the loop's thread.
    private static async Task KeepLoopBusyAsync(
        SocketPair pair, ManualResetEventSlim isBusy, ManualResetEventSlim goOn)
    {
        var read = await pair.Server.Input.ReadAsync(Token);
        isBusy.Set();
        goOn.Wait(Token);
        pair.Server.Input.AdvanceTo(read.Buffer.End);
    }

    // So that the server has begun to send, and waits for the client, as it notes after the send.
    private static async Task BeginToReceiveAsync(RespServer server, Socket client)
    {
        long before = server.State.ClientMemory.Bytes;
        await SendAllAsync(client, "GET k\r\n"u8.ToArray());
        await ReceiveAllAsync(client, new byte[1]);
        Assert.True(SpinWait.SpinUntil(
            () => server.State.ClientMemory.Bytes - before >= 20 * Length, TimeSpan.FromSeconds(30)));
    }

    private static byte[] Bulk(byte[] value) =>
        [.. Encoding.ASCII.GetBytes($"${value.Length}\r\n"), .. value, (byte)'\r', (byte)'\n'];

    private static byte[] Pattern(int seed, int length)
    {
        byte[] bytes = new byte[length];
        int period = Math.Min(length, 65_521); // A prime: no piece begins where another does.
        new Random(seed).NextBytes(bytes.AsSpan(0, period));
        for (int done = period; done < length; done += period)
            bytes.AsSpan(0, Math.Min(period, length - done)).CopyTo(bytes.AsSpan(done));
        return bytes;
    }

    private sealed class CountedBytes(byte[] bytes) : LentBytes
    {
        public int DisposedCount;

        public override ReadOnlySpan<byte> Span => bytes;

        public override ReadOnlyMemory<byte> Memory => bytes;

        public override void Dispose() => Interlocked.Increment(ref DisposedCount);
    }
}
