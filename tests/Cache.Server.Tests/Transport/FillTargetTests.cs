using System.Buffers;
using System.Net.Sockets;
using System.Text;
using Cache.Server.Transport;
using Cache.Server.Transport.Linux;
using Cache.Testing;

namespace Cache.Server.Tests.Transport;

/// <summary>Bytes that the event loops receive to where they are to stay.</summary>
public sealed class FillTargetTests : TransportTestBase
{
    // With more, others wait three times as long beside a hundred clients that send megabytes.
    private const int TurnBytes = 64 * 1024;

    [Fact]
    public async Task Read_IntoATarget_FillsItAndNoMore()
    {
        if (!EpollTransport.IsSupported)
            return;
        await using var pair = await SocketPair.ConnectAsync(RespTransport.Epoll);
        var input = (FillingPipeReader)pair.Server.Input;
        byte[] sent = Pattern(500_000);
        var sending = SendAllAsync(pair.Client, sent);

        // What was received as usual, and not consumed, comes before the target gets anything.
        var read = await input.ReadAsync(Token);
        input.AdvanceTo(read.Buffer.GetPosition(1));
        var target = new ArrayTarget(300_000);
        read = await input.ReadAsync(target);
        int before = 1 + (int)read.Buffer.Length;
        Assert.True(read.Buffer.ToArray().AsSpan().SequenceEqual(sent.AsSpan(1, before - 1)));
        Assert.Equal(0, target.Filled);
        input.AdvanceTo(read.Buffer.End);

        for (int filled = 0; filled < target.Bytes.Length; filled = target.Filled)
        {
            read = await input.ReadAsync(target);
            Assert.True(read.Buffer.IsEmpty);
            Assert.InRange(target.Filled, filled + 1, Math.Min(filled + TurnBytes, target.Bytes.Length));
            input.AdvanceTo(read.Buffer.End);
        }

        Assert.True(target.Bytes.AsSpan().SequenceEqual(sent.AsSpan(before, target.Filled)));
        int left = sent.Length - before - target.Filled;
        read = await input.ReadAtLeastAsync(left, Token);
        Assert.True(read.Buffer.ToArray().AsSpan().SequenceEqual(sent.AsSpan(sent.Length - left)));
        input.AdvanceTo(read.Buffer.End);
        await sending;
    }

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Read_IntoATarget_EndsWithTheConnection(bool isAborted)
    {
        if (!EpollTransport.IsSupported)
            return;
        await using var pair = await SocketPair.ConnectAsync(RespTransport.Epoll);
        var input = (FillingPipeReader)pair.Server.Input;
        var target = new ArrayTarget(1000);
        await SendAllAsync(pair.Client, Pattern(600));
        while (target.Filled < 600)
            input.AdvanceTo((await input.ReadAsync(target)).Buffer.End);

        var reading = input.ReadAsync(target);
        Assert.False(reading.IsCompleted);
        if (isAborted)
        {
            pair.Server.Abort();
            await Assert.ThrowsAsync<SocketException>(async () => await reading);
        }
        else
        {
            pair.Client.Shutdown(SocketShutdown.Send);
            Assert.True((await reading).IsCompleted);
        }

        Assert.Equal(600, target.Filled);
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public Task Sets_OfLongValuesInAnyPieces_AreTakenWhole(RespTransport transport) => RandomSeed.RunAsync(
        this, async seed =>
        {
            var random = new Random(seed);
            await using var server = await StartAsync(transport);
            using var client = Connect(server);
            client.NoDelay = true;
            var requests = new MemoryStream();
            byte[][] values = [.. Enumerable.Range(0, 12).Select(_ => Pattern(random.Next(1, 1_500_000)))];
            for (int i = 0; i < values.Length; i++)
            {
                requests.Write(Encoding.ASCII.GetBytes($"*3\r\n$3\r\nSET\r\n$3\r\nk{i:D2}\r\n${values[i].Length}\r\n"));
                requests.Write(values[i]);
                requests.Write("\r\nPING\r\n"u8);
            }

            byte[] all = requests.ToArray();
            for (int sent = 0; sent < all.Length;)
            {
                int piece = random.Next(4) == 0 ? random.Next(1, 20) : random.Next(300_000);
                int count = Math.Min(all.Length - sent, piece);
                await SendAllAsync(client, all[sent..(sent + count)]);
                sent += count;
                if (random.Next(3) == 0)
                    await Task.Delay(1, Token);
            }

            byte[] replies = new byte["+OK\r\n+PONG\r\n".Length * values.Length];
            await ReceiveAllAsync(client, replies);

            Assert.Equal(
                string.Concat(Enumerable.Repeat("+OK\r\n+PONG\r\n", values.Length)), Encoding.ASCII.GetString(replies));
            for (int i = 0; i < values.Length; i++)
                Assert.True(Store.GetArray(Encoding.ASCII.GetBytes($"k{i:D2}")).AsSpan().SequenceEqual(values[i]));
            var session = server.State.Clients.Find(1)!;
            Assert.Equal(all.Length, server.State.Statistics.SumTraffic().InputBytes);
            // The last replies are there before the server has counted that they are sent.
            Assert.True(SpinWait.SpinUntil(() => session.HeldBytes == 0, TimeSpan.FromSeconds(30)));
        });

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Client_ThatVanishesInALongValue_LeavesNothing(RespTransport transport)
    {
        await using var server = await StartAsync(transport);
        var client = Connect(server);
        await SendAllAsync(client, "*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$3000000\r\n"u8.ToArray());
        await SendAllAsync(client, Pattern(2_000_000));
        Assert.True(SpinWait.SpinUntil(
            () => server.State.Clients.Find(1)?.HeldBytes >= 2_000_000, TimeSpan.FromSeconds(30)));

        client.LingerState = new LingerOption(enable: true, seconds: 0);
        client.Dispose();

        Assert.True(SpinWait.SpinUntil(() => server.State.ClientMemory.Bytes == 0, TimeSpan.FromSeconds(30)));
        Assert.Equal(0, Store.Count);
    }

    private static byte[] Pattern(int length)
    {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++)
            bytes[i] = (byte)(i ^ (i >> 8) ^ (i >> 16));
        return bytes;
    }
}
