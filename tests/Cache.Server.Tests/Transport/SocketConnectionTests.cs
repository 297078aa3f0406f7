using System.Buffers;
using System.IO.Pipelines;
using System.Net;
using System.Net.Sockets;
using Cache.Server.Transport;
using Cache.Testing;

namespace Cache.Server.Tests.Transport;

public sealed class SocketConnectionTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task BothWays_OverTcp_CarryBytes(RespTransport transport)
    {
        foreach (var address in Loopback.All)
            await AssertCarriesOverTcpAsync(address, transport);
    }

    private static async Task AssertCarriesOverTcpAsync(IPAddress address, RespTransport transport)
    {
        await using var pair = await SocketPair.ConnectAsync(new IPEndPoint(address, 0), transport: transport);

        Assert.Equal(pair.Client.LocalEndPoint, pair.Server.RemoteEndPoint);
        Assert.Equal(pair.Client.RemoteEndPoint, pair.Server.LocalEndPoint);
        await AssertCarriesBothWaysAsync(pair);
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task BothWays_OverAUnixSocket_CarryBytes(RespTransport transport)
    {
        using var folder = new TemporaryFolder();
        await using var pair = await SocketPair.ConnectAsync(
            new UnixDomainSocketEndPoint(folder.PathOf("s")), transport: transport);

        await AssertCarriesBothWaysAsync(pair);
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Output_OfManySegments_ArrivesInOrderAtASlowPeer(RespTransport transport)
    {
        await using var pair = await ConnectWithoutTimeAsync(transport);
        byte[] sent = Pattern(8 << 20);

        var writing = WriteAsync(pair.Server, sent);
        byte[] received = await pair.ReceiveToEndAsync();
        pair.Client.Shutdown(SocketShutdown.Send);
        await writing;

        Assert.True(sent.AsSpan().SequenceEqual(received));
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task UnsentMemoryBytes_UntilThePeerReads_AreCounted(RespTransport transport)
    {
        const int WrittenBytesMax = 64 << 20;
        await using var pair = await SocketPair.ConnectAsync(transport);
        byte[] piece = Pattern(16 * 1024);
        int written = 0;
        var flush = default(ValueTask<FlushResult>);
        long unsent = pair.Server.UnsentMemoryBytes;
        Assert.Equal(0, unsent);

        while (flush.IsCompleted && unsent == 0 && written < WrittenBytesMax)
        {
            written += piece.Length;
            pair.Server.Output.Write(piece);
            flush = pair.Server.Output.FlushAsync(Token);
            unsent = pair.Server.UnsentMemoryBytes; // Looked at once: the loop may send it in its next turn.
        }

        Assert.InRange(unsent, 1, written + (128 * 1024));
        await pair.ReceiveAsync(written);
        await flush;
        Assert.True(SpinWait.SpinUntil(() => pair.Server.UnsentMemoryBytes == 0, TimeSpan.FromSeconds(10)));
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Input_ThatNobodyReads_PausesThePeer(RespTransport transport)
    {
        await using var pair = await SocketPair.ConnectAsync(transport);
        byte[] sent = Pattern(64 << 20);

        var sending = SendAsync(pair.Client, sent);
        var read = await pair.Server.Input.ReadAtLeastAsync(256 * 1024, Token);
        Assert.InRange(read.Buffer.Length, 256 * 1024, 320 * 1024);
        Assert.False(sending.IsCompleted);

        pair.Server.Input.AdvanceTo(read.Buffer.Start);
        byte[] received = await ReadToEndAsync(pair.Server.Input);
        Assert.True(received.AsSpan().SequenceEqual(sent));
        await sending;
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Dispose_WithUnreadInput_LetsTheLastReplyArrive(RespTransport transport)
    {
        await using var pair = await ConnectWithoutTimeAsync(transport);
        var sending = SendAsync(pair.Client, new byte[4 << 20]);
        await pair.Server.Input.ReadAtLeastAsync(1000, Token);

        pair.Server.Output.Write("-ERR goodbye\r\n"u8);
        await pair.Server.Input.CompleteAsync();
        await pair.Server.Output.CompleteAsync();
        var closing = pair.Server.DisposeAsync();

        await sending;
        Assert.Equal("-ERR goodbye\r\n"u8.ToArray(), await pair.ReceiveToEndAsync());
        await closing;
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Dispose_WithAPeerThatNeverCloses_GivesUpAfterASecond(RespTransport transport)
    {
        var clock = new FakeTimeProvider();
        await using var pair = await SocketPair.ConnectAsync(
            new IPEndPoint(IPAddress.Loopback, 0), new() { TimeProvider = clock }, transport);

        await pair.Server.Input.CompleteAsync();
        await pair.Server.Output.CompleteAsync();
        var closing = pair.Server.DisposeAsync().AsTask();
        Assert.Empty(await pair.ReceiveToEndAsync());
        Assert.False(closing.IsCompleted);
        while (!closing.IsCompleted)
        {
            clock.Advance(1000);
            await Task.Yield();
        }

        await closing;
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Abort_WhileBothWait_EndsInputAndFlush(RespTransport transport)
    {
        await using var pair = await SocketPair.ConnectAsync(transport);
        var flushing = FlushUntilEndAsync(pair.Server.Output);
        var reading = pair.Server.Input.ReadAsync(Token);

        pair.Server.Abort();

        await Assert.ThrowsAnyAsync<SocketException>(async () => await reading);
        await flushing;
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Reset_ByThePeer_FailsTheInput(RespTransport transport)
    {
        await using var pair = await SocketPair.ConnectAsync(transport);
        var reading = pair.Server.Input.ReadAsync(Token);

        pair.Client.LingerState = new LingerOption(enable: true, seconds: 0);
        pair.Client.Dispose();

        await AssertBrokenAsync(reading);
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task StopReceiving_WithBytesOnTheWay_GivesThemAndThenTheEnd(RespTransport transport)
    {
        await using var pair = await SocketPair.ConnectAsync(transport);
        byte[] sent = new byte[100_000];
        await SendAsync(pair.Client, sent);
        var read = await pair.Server.Input.ReadAtLeastAsync(sent.Length, Token);
        pair.Server.Input.AdvanceTo(read.Buffer.Start);

        pair.Server.StopReceiving();

        Assert.Equal(sent.Length, (await ReadToEndAsync(pair.Server.Input)).Length);
        pair.Server.Output.Write("+OK\r\n"u8);
        await pair.Server.Output.CompleteAsync();
        byte[] reply = new byte[5];
        Assert.Equal(5, await pair.Client.ReceiveAsync(reply, Token));
    }

    // On a busy machine the peer may need longer for the last bytes than a closing connection gives it.
    private static Task<SocketPair> ConnectWithoutTimeAsync(RespTransport transport) => SocketPair.ConnectAsync(
        new IPEndPoint(IPAddress.Loopback, 0), new() { TimeProvider = new FakeTimeProvider() }, transport);

    private static async Task AssertCarriesBothWaysAsync(SocketPair pair)
    {
        await SendAsync(pair.Client, "request"u8.ToArray());
        var read = await pair.Server.Input.ReadAtLeastAsync(7, Token);
        Assert.Equal("request"u8.ToArray(), read.Buffer.ToArray());
        pair.Server.Input.AdvanceTo(read.Buffer.End);

        pair.Server.Output.Write("reply"u8);
        await pair.Server.Output.FlushAsync(Token);
        await pair.Server.Output.CompleteAsync();
        byte[] reply = new byte[100];
        Assert.Equal(5, await pair.Client.ReceiveAsync(reply, Token));

        pair.Client.Shutdown(SocketShutdown.Send);
        Assert.Empty(await ReadToEndAsync(pair.Server.Input));
    }

    // By the runtime's exception, or by one that has it inside.
    private static async Task AssertBrokenAsync(ValueTask<ReadResult> reading)
    {
        var error = await Assert.ThrowsAnyAsync<Exception>(async () => await reading);
        Assert.True(error is SocketException or IOException, error.ToString());
    }

    // Bytes that show when some are lost, repeated or out of order.
    private static byte[] Pattern(int length)
    {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++)
            bytes[i] = (byte)((uint)i * 2654435761 >> 24);
        return bytes;
    }

    // In pieces of growing size, so that single segments, gathered ones and more than one send can hold all occur.
    private static async Task WriteAsync(TransportConnection connection, byte[] bytes)
    {
        int size = 1;
        for (int sent = 0; sent < bytes.Length; size = size * 3 % 500_000 + 1)
        {
            int count = Math.Min(size, bytes.Length - sent);
            foreach (byte[] part in bytes.AsSpan(sent, count).ToArray().Chunk(10_000))
                connection.Output.Write(part);
            await connection.Output.FlushAsync(Token);
            sent += count;
        }

        await connection.Output.CompleteAsync();
        await connection.Input.CompleteAsync();
        await connection.DisposeAsync();
    }

    private static async Task SendAsync(Socket socket, byte[] bytes)
    {
        for (int sent = 0; sent < bytes.Length;)
            sent += await socket.SendAsync(bytes.AsMemory(sent), Token);
        if (bytes.Length >= 1 << 20)
            socket.Shutdown(SocketShutdown.Send);
    }

    private static async Task<byte[]> ReadToEndAsync(PipeReader input)
    {
        var all = new ArrayBufferWriter<byte>();
        while (true)
        {
            var read = await input.ReadAsync(Token);
            foreach (var memory in read.Buffer)
                all.Write(memory.Span);
            input.AdvanceTo(read.Buffer.End);

            // The end, or that no more is waited for.
            if (read.IsCompleted || read.IsCanceled)
                return all.WrittenSpan.ToArray();
        }
    }

    private static async Task FlushUntilEndAsync(PipeWriter output)
    {
        do
            output.Write(new byte[100_000]);
        while (!(await output.FlushAsync(Token)).IsCompleted);
    }
}
