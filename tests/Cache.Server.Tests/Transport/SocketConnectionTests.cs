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
    [InlineData("127.0.0.1")]
    [InlineData("::1")]
    public async Task BothWays_OverTcp_CarryBytes(string address)
    {
        await using var pair = await SocketPair.ConnectAsync(new IPEndPoint(IPAddress.Parse(address), 0));

        Assert.Equal(pair.Client.LocalEndPoint, pair.Server.RemoteEndPoint);
        Assert.Equal(pair.Client.RemoteEndPoint, pair.Server.LocalEndPoint);
        await AssertCarriesBothWaysAsync(pair);
    }

    [Fact]
    public async Task BothWays_OverAUnixSocket_CarryBytes()
    {
        using var folder = new TemporaryFolder();
        await using var pair = await SocketPair.ConnectAsync(new UnixDomainSocketEndPoint(folder.PathOf("s")));

        await AssertCarriesBothWaysAsync(pair);
    }

    [Fact]
    public async Task Output_OfManySegments_ArrivesInOrderAtASlowPeer()
    {
        await using var pair = await SocketPair.ConnectAsync();
        byte[] sent = Pattern(8 << 20);

        var writing = WriteAsync(pair.Server, sent);
        byte[] received = await pair.ReceiveToEndAsync();
        await writing;

        Assert.True(sent.AsSpan().SequenceEqual(received));
    }

    [Fact]
    public async Task Input_ThatNobodyReads_PausesThePeer()
    {
        await using var pair = await SocketPair.ConnectAsync();
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

    [Fact]
    public async Task Dispose_WithUnreadInput_LetsTheLastReplyArrive()
    {
        await using var pair = await SocketPair.ConnectAsync();
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

    [Fact]
    public async Task Dispose_WithAPeerThatNeverCloses_GivesUpAfterASecond()
    {
        var clock = new FakeTimeProvider();
        await using var pair = await SocketPair.ConnectAsync(
            new IPEndPoint(IPAddress.Loopback, 0), new() { TimeProvider = clock });

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

    [Fact]
    public async Task Abort_WhileBothWait_EndsInputAndFlush()
    {
        await using var pair = await SocketPair.ConnectAsync();
        var flushing = FlushUntilEndAsync(pair.Server.Output);
        var reading = pair.Server.Input.ReadAsync(Token);

        pair.Server.Abort();

        await Assert.ThrowsAnyAsync<SocketException>(async () => await reading);
        await Assert.ThrowsAnyAsync<SocketException>(() => flushing);
    }

    [Fact]
    public async Task Reset_ByThePeer_FailsTheInput()
    {
        await using var pair = await SocketPair.ConnectAsync();
        var reading = pair.Server.Input.ReadAsync(Token);

        pair.Client.LingerState = new LingerOption(enable: true, seconds: 0);
        pair.Client.Dispose();

        await Assert.ThrowsAnyAsync<SocketException>(async () => await reading);
    }

    [Fact]
    public async Task StopReceiving_WithBytesOnTheWay_GivesThemAndThenTheEnd()
    {
        await using var pair = await SocketPair.ConnectAsync();
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
            if (read.IsCompleted)
                return all.WrittenSpan.ToArray();
        }
    }

    private static async Task FlushUntilEndAsync(PipeWriter output)
    {
        FlushResult flush;
        do
        {
            output.Write(new byte[100_000]);
            flush = await output.FlushAsync(Token);
        }
        while (!flush.IsCompleted);
    }
}
