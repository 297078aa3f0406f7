using System.Diagnostics;
using Cache.Core;
using Cache.Testing;

namespace Cache.Concurrency.Tests.Torture;

/// <summary>
/// Self-proving values of 8 bytes to 100 KB, written and read by more threads than cores while the memory limit forces
/// eviction: none is ever torn, foreign, or seen again after it was replaced or removed.
/// </summary>
/// <remarks>The environment variable CACHE_TORTURE_SECONDS makes it longer.</remarks>
public sealed class TortureTests
{
    private const long EvictionsMin = 1_000;

    private const int Keys = 6_000;
    private const long LimitBytes = 16 << 20;

    // The limit is kept within two percent.
    private const long LimitAndSlackBytes = LimitBytes + LimitBytes / 50;

    private readonly ITestOutputHelper _output;

    public TortureTests(ITestOutputHelper output) => _output = output;

    [Fact]
    public void Values_UnderEviction_AreNeverTornForeignOrResurrected() => RandomSeed.Run(this, seed =>
    {
        var options = new CacheOptions { MemoryLimitBytes = LimitBytes, Eviction = EvictionPolicy.AllEntries };
        using var store = new CacheStore(options);
        int threads = TestThreads.MoreThanCores;
        var keys = new TortureKeys(Keys);
        TortureThread[] tortures = [.. Enumerable.Range(0, threads).Select(
            i => new TortureThread(store, keys, i, threads, new Random(seed + i)))];
        long start = Stopwatch.GetTimestamp();
        long peak = 0;
        bool isEnough = false;

        TestThreads.Run(threads, TortureLength.Expected, (thread, stop) =>
        {
            while (!stop.IsCancellationRequested && TortureLength.GoesOn(start, Volatile.Read(ref isEnough)))
            {
                for (int i = 0; i < 100; i++)
                    tortures[thread].RunOne();
                if (thread != 0)
                    continue;
                var now = store.GetStatistics();
                peak = Math.Max(peak, now.MemoryBytes);
                Volatile.Write(ref isEnough, now.Evictions > EvictionsMin);
            }
        });

        store.AssertValid();
        long reads = tortures.Sum(static t => t.Reads);
        long writes = tortures.Sum(static t => t.Writes);
        long refusals = tortures.Sum(static t => t.Refusals);
        long evictions = store.GetStatistics().Evictions;
        _output.WriteLine(
            $"{reads} reads ({tortures.Sum(static t => t.Hits)} hits), {writes} writes, {refusals} of them refused, "
            + $"{evictions} evictions, at most {peak} bytes of {LimitBytes}.");
        Assert.True(evictions > EvictionsMin, $"Only {evictions} evictions: nothing was recycled.");
        Assert.True(refusals * 1_000 <= writes, $"{refusals} of {writes} writes were refused, though all may go.");
        Assert.InRange(peak, LimitBytes / 2, LimitAndSlackBytes);
    });
}
