using System.Buffers;
using System.Net.Sockets;
using Cache.Server.Transport;
using Cache.Server.Transport.Linux;
using Cache.Testing;

namespace Cache.Server.Tests.Transport;

/// <summary>The receives of connections that expect long requests, from the event loops.</summary>
public sealed class LongReceiveTests : TransportTestBase
{
    [Fact]
    public async Task Read_ThatExpectsALongRequest_TakesMoreAtOnce_AndOnlyOnce()
    {
        if (!EpollTransport.IsSupported)
            return;
        await using var pair = await SocketPair.ConnectAsync(RespTransport.Epoll);
        var input = (FillingPipeReader)pair.Server.Input;
        byte[] sent = Pattern(0, 60_000);

        for (int round = 0; round < 3; round++)
        {
            await SendAllAsync(pair.Client, sent);
            var read = await input.ReadAsync(Token);
            int first = (int)read.Buffer.Length;
            Assert.InRange(first, 1, EpollLoop.ReceiveBytes);
            Assert.True(read.Buffer.FirstSpan.SequenceEqual(sent.AsSpan(0, first)));
            input.AdvanceTo(read.Buffer.End);

            input.ExpectLong();
            read = await input.ReadAsync(Token);
            Assert.Equal(sent.Length - first, read.Buffer.Length);
            Assert.True(read.Buffer.FirstSpan.SequenceEqual(sent.AsSpan(first)));
            input.AdvanceTo(read.Buffer.End);
        }
    }

    [Fact]
    public async Task Read_ThatExpectsALongRequest_BeginsWithWhatWasKept()
    {
        if (!EpollTransport.IsSupported)
            return;
        await using var pair = await SocketPair.ConnectAsync(RespTransport.Epoll);
        var input = (FillingPipeReader)pair.Server.Input;
        byte[] sent = Pattern(1, 60_000);
        await SendAllAsync(pair.Client, sent);
        var read = await input.ReadAsync(Token);
        input.AdvanceTo(read.Buffer.GetPosition(1000), read.Buffer.End);

        input.ExpectLong();
        read = await input.ReadAsync(Token);

        Assert.True(read.Buffer.FirstSpan.SequenceEqual(sent.AsSpan(1000)));
        input.AdvanceTo(read.Buffer.Start, read.Buffer.End);
        input.ExpectLong();
        pair.Client.Shutdown(SocketShutdown.Send);
        read = await input.ReadAsync(Token);
        Assert.True(read.IsCompleted);
        Assert.True(read.Buffer.FirstSpan.SequenceEqual(sent.AsSpan(1000)));
        input.AdvanceTo(read.Buffer.End);
    }

    // More is kept than the longer buffer holds.
    [Fact]
    public async Task Read_ThatExpectsALongRequest_WithMuchKept_TakesTheRestToo()
    {
        if (!EpollTransport.IsSupported)
            return;
        await using var pair = await SocketPair.ConnectAsync(RespTransport.Epoll);
        var input = (FillingPipeReader)pair.Server.Input;
        byte[] sent = Pattern(2, 3 * EpollLoop.LongReceiveBytes);
        var sending = SendAllAsync(pair.Client, sent);

        var read = default(System.IO.Pipelines.ReadResult);
        while (read.Buffer.Length < sent.Length)
        {
            input.ExpectLong();
            read = await input.ReadAsync(Token);
            Assert.True(read.Buffer.ToArray().AsSpan().SequenceEqual(sent.AsSpan(0, (int)read.Buffer.Length)));
            if (read.Buffer.Length < sent.Length)
                input.AdvanceTo(read.Buffer.Start, read.Buffer.End);
        }

        input.AdvanceTo(read.Buffer.End);
        await sending;
    }

    // Some keep the loop's buffer, short or long, while it serves the others.
    [Fact]
    public Task Reads_OfConnectionsThatKeepAndExpectAtRandom_SeeAllBytesInOrder() => RandomSeed.RunAsync(
        this, async seed =>
        {
            if (!EpollTransport.IsSupported)
                return;
            const int Count = 4;
            await using var first = await SocketPair.ConnectAsync(RespTransport.Epoll);
            var others = new List<SocketPair>();
            for (int i = 1; i < Count; i++)
                others.Add(await first.ConnectAnotherAsync());
            SocketPair[] pairs = [first, .. others];

            await Task.WhenAll(pairs.Select((pair, i) => ReadAllAsync(pair, seed + i)));

            foreach (var pair in others)
                await pair.DisposeAsync();
        });

    private static async Task ReadAllAsync(SocketPair pair, int seed)
    {
        var random = new Random(seed);
        var input = (FillingPipeReader)pair.Server.Input;
        byte[] sent = Pattern(seed, 2_000_000);
        var sending = SendPiecesAsync(pair.Client, sent, new Random(~seed));
        for (int done = 0; done < sent.Length;)
        {
            if (random.Next(2) == 0)
                input.ExpectLong();
            if (random.Next(8) == 0)
            {
                var target = new ArrayTarget(random.Next(1, 50_000));
                var filling = await input.ReadAsync(target);
                Assert.True(target.Filled == 0 || filling.Buffer.IsEmpty);
                byte[] got = [.. target.Bytes.AsSpan(0, target.Filled), .. filling.Buffer.ToArray()];
                Assert.True(got.AsSpan().SequenceEqual(sent.AsSpan(done, got.Length)));
                done += got.Length;
                input.AdvanceTo(filling.Buffer.End);
                continue;
            }

            var read = await input.ReadAsync(Token);
            if (random.Next(4) == 0)
                await Task.Delay(1, Token); // The loop goes on meanwhile, without this buffer.
            byte[] bytes = read.Buffer.ToArray();
            Assert.True(bytes.AsSpan().SequenceEqual(sent.AsSpan(done, bytes.Length)));
            int taken = random.Next(3) == 0 ? random.Next(bytes.Length + 1) : bytes.Length;
            done += taken;
            bool isAtEnd = done - taken + bytes.Length == sent.Length;
            input.AdvanceTo(
                read.Buffer.GetPosition(taken), isAtEnd ? read.Buffer.GetPosition(taken) : read.Buffer.End);
        }

        await sending;
    }

    private static async Task SendPiecesAsync(Socket client, byte[] bytes, Random random)
    {
        for (int sent = 0; sent < bytes.Length;)
        {
            int count = Math.Min(random.Next(3) == 0 ? random.Next(1, 100) : random.Next(200_000), bytes.Length - sent);
            await SendAllAsync(client, bytes[sent..(sent + count)]);
            sent += count;
        }
    }

    private static byte[] Pattern(int seed, int length)
    {
        byte[] bytes = new byte[length];
        new Random(seed).NextBytes(bytes);
        return bytes;
    }
}
