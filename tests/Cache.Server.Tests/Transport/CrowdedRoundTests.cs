using System.Diagnostics;
using Cache.Server.Transport.Linux;

namespace Cache.Server.Tests.Transport;

/// <summary>What an event loop receives where the connections before have taken long.</summary>
public sealed class CrowdedRoundTests
{
    private const int Count = 40;

    // Longer than a round may take before it counts as long.
    private static readonly TimeSpan _longTime = TimeSpan.FromMilliseconds(10);

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Receive_InARoundThatHasTakenLong_IsShort()
    {
        if (!EpollTransport.IsSupported)
            return;
        await using var first = await SocketPair.ConnectAsync(RespTransport.Epoll);
        var others = new List<SocketPair>();
        for (int i = 0; i < Count; i++)
            others.Add(await first.ConnectAnotherAsync());
        using var isBusy = new ManualResetEventSlim();
        using var goOn = new ManualResetEventSlim();
        var lengths = new List<int>();
        var reads = others.Select(other => ReadAsync(other, lengths)).ToList();
        var busy = KeepLoopBusyAsync(first, isBusy, goOn);
        await SendAsync(first, 1);
        isBusy.Wait(Token);

        // All are ready before the loop waits again, so that they are one round, whose first turn is long.
        foreach (var other in others)
            await SendAsync(other, EpollLoop.ReceiveBytes);
        goOn.Set();
        await busy;
        await Task.WhenAll(reads);

        Assert.Equal(Count, lengths.Count);
        Assert.Equal(EpollLoop.ReceiveBytes, lengths[0]);
        Assert.InRange(lengths.Count(static length => length <= EpollLoop.CrowdedReceiveBytes), Count - 8, Count - 1);
        foreach (var other in others)
            await other.DisposeAsync();
    }

    // The owner runs on the loop's thread; the first one takes its time there.
    private static async Task ReadAsync(SocketPair pair, List<int> lengths)
    {
        var read = await pair.Server.Input.ReadAsync(Token);
        int length = (int)read.Buffer.Length;
        lengths.Add(length);
        pair.Server.Input.AdvanceTo(read.Buffer.End);
        long start = Stopwatch.GetTimestamp();
        while (lengths.Count == 1 && Stopwatch.GetElapsedTime(start) < _longTime)
            Thread.SpinWait(100);
        await Task.Yield(); // What waits for this goes on elsewhere.
    }

    private static async Task KeepLoopBusyAsync(
        SocketPair pair, ManualResetEventSlim isBusy, ManualResetEventSlim goOn)
    {
        var read = await pair.Server.Input.ReadAsync(Token);
        isBusy.Set();
        goOn.Wait(Token);
        pair.Server.Input.AdvanceTo(read.Buffer.End);
        await Task.Yield();
    }

    private static async Task SendAsync(SocketPair pair, int count)
    {
        byte[] bytes = new byte[count];
        for (int sent = 0; sent < count;)
            sent += await pair.Client.SendAsync(bytes.AsMemory(sent), Token);
    }
}
