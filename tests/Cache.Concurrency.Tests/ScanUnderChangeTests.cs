using System.Diagnostics;
using System.Text;
using Cache.Core;
using Cache.Testing;

namespace Cache.Concurrency.Tests;

/// <summary>A scan meets every key that stays, whatever comes and goes meanwhile.</summary>
public sealed class ScanUnderChangeTests
{
    private const int Stable = 2_000;
    private const int ComingAndGoing = 30_000;

    private static readonly TimeSpan _length = TimeSpan.FromSeconds(1.5);

    // What the slowest machine needs for the sweeps that merge what was split.
    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(30);

    [Fact]
    public void Scan_OthersComeAndGo_MeetsEveryStableKey() => RandomSeed.Run(this, seed =>
    {
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 256 << 20 });
        string[] stable = [.. Enumerable.Range(0, Stable).Select(static i => $"stable:{i}")];
        foreach (string key in stable)
            store.Set(Encoding.Latin1.GetBytes(key), "value"u8);
        long start = Stopwatch.GetTimestamp();
        int scans = 0;
        TestThreads.Run(TestThreads.MoreThanCores, _length, (thread, stop) =>
        {
            var random = new Random(seed + thread);
            while (!stop.IsCancellationRequested && Stopwatch.GetElapsedTime(start) < _length)
            {
                if (thread > 1)
                {
                    Change(store, random, stable);
                    continue;
                }

                AssertAllMet(stable, store.ScanAll(random.Next(1, 200)));
                Interlocked.Increment(ref scans);
            }
        });

        Assert.True(scans > 0, "No scan came to its end.");
        AssertAllMet(stable, store.ScanAll());
        store.AssertValid();
    });

    [Fact]
    public void Scan_IndexGrowsAndShrinks_MeetsEveryStableKey() => RandomSeed.Run(this, seed =>
    {
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = 2 });
        string[] stable = [.. Enumerable.Range(0, Stable).Select(static i => $"stable:{i}")];
        foreach (string key in stable)
            store.Set(Encoding.Latin1.GetBytes(key), "value"u8);
        long start = Stopwatch.GetTimestamp();
        int rounds = 0;
        TestThreads.Run(TestThreads.MoreThanCores, _length, (thread, stop) =>
        {
            var random = new Random(seed + thread);
            while (!stop.IsCancellationRequested && Stopwatch.GetElapsedTime(start) < _length)
            {
                if (thread > 0)
                    AssertAllMet(stable, store.ScanAll(random.Next(1, 200)));
                else
                    rounds += GrowAndShrink(store) ? 1 : 0;
            }
        });

        Assert.True(rounds > 0, "The index never shrank.");
        store.AssertValid();
    });

    // The sweep merges what was split.
    private static bool GrowAndShrink(CacheStore store)
    {
        for (int i = 0; i < ComingAndGoing; i++)
            store.Set(Encoding.Latin1.GetBytes($"passing:{i}"), "value"u8);
        long grown = store.GetStatistics().MemoryBytes;
        for (int i = 0; i < ComingAndGoing; i++)
            store.Remove(Encoding.Latin1.GetBytes($"passing:{i}"));
        return SpinWait.SpinUntil(() => store.GetStatistics().MemoryBytes < grown / 2, _patience);
    }

    // Stable keys are overwritten with other sizes too: their records move, the keys stay.
    private static void Change(CacheStore store, Random random, string[] stable)
    {
        byte[] key = Encoding.Latin1.GetBytes($"passing:{random.Next(ComingAndGoing)}");
        if (random.Next(3) == 0)
            store.Remove(key);
        else
            store.Set(key, new byte[random.Next(200)]);
        if (random.Next(4) == 0)
            store.Set(Encoding.Latin1.GetBytes(stable[random.Next(stable.Length)]), new byte[random.Next(200)]);
    }

    private static void AssertAllMet(string[] stable, List<string> met)
    {
        string[] missed = [.. stable.Except(met)];
        Assert.True(missed.Length == 0, $"The scan missed {missed.Length} keys, {missed.FirstOrDefault()} among them.");
        Assert.All(met, static key => Assert.Contains(':', key));
    }
}
