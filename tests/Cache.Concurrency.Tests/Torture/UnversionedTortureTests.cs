#if CACHE_UNVERSIONED
using System.Diagnostics;
using Cache.Core;
using Cache.Testing;

namespace Cache.Concurrency.Tests.Torture;

/// <summary>The torture of a store whose readers check no version: it finds values that are torn or foreign.</summary>
/// <remarks>Built and run by a command of its own, which stands in CONTRIBUTING.md.</remarks>
public sealed class UnversionedTortureTests(ITestOutputHelper output)
{
    // So few that a value is often written while it is read.
    private const int Keys = 8;

    private static readonly TimeSpan _length = TimeSpan.FromSeconds(10);

    [Fact]
    public void Values_WithoutTheVersionCheck_AreFoundOut() => RandomSeed.Run(this, seed =>
    {
        var options = new CacheOptions { MemoryLimitBytes = 16 << 20, Eviction = EvictionPolicy.AllEntries };
        using var store = new CacheStore(options);
        int threads = TestThreads.MoreThanCores;
        var keys = new TortureKeys(Keys);
        TortureThread[] tortures = [.. Enumerable.Range(0, threads).Select(
            i => new TortureThread(store, keys, i, threads, new Random(seed + i)))];
        int mismatches = 0;
        string first = "";
        long start = Stopwatch.GetTimestamp();
        TestThreads.Run(threads, _length, (thread, _) =>
        {
            while (Stopwatch.GetElapsedTime(start) < _length)
            {
                try
                {
                    tortures[thread].RunOne();
                }
                catch (Exception failure) when (failure is InvalidDataException or ArgumentException)
                {
                    if (Interlocked.Increment(ref mismatches) == 1)
                        first = failure.Message;
                }
            }
        });

        output.WriteLine($"{mismatches} mismatches in {tortures.Sum(static t => t.Reads)} reads, the first: {first}");
        Assert.True(mismatches > 0, "Without the version check, no read went wrong.");
    });

    // What cannot be decoded was compressed: a reader of a plain value would find another mismatch.
    [Fact]
    public void CompressedValues_WithoutTheVersionCheck_AreFoundOut() => RandomSeed.Run(this, seed =>
    {
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 4 << 20 });
        var torture = new CompressedTorture(store, keys: 64, seed, compressesAtOnce: true);
        int damaged = 0;
        long start = Stopwatch.GetTimestamp();
        TestThreads.Run(TestThreads.MoreThanCores, _length, (thread, _) =>
        {
            while (Stopwatch.GetElapsedTime(start) < _length)
            {
                try
                {
                    torture.Run(thread, 1);
                }
                catch (InvalidOperationException failure) when (failure.Message.Contains("decoded"))
                {
                    Interlocked.Increment(ref damaged);
                }
                catch (Exception failure) when (failure is InvalidDataException or ArgumentException)
                {
                }
            }
        });

        output.WriteLine($"{damaged} of {torture.Reads} values could not be decoded.");
        Assert.True(damaged > 0, "Without the version check, no compressed value went wrong.");
    });

    [Fact]
    public void Fields_WithoutTheVersionCheck_AreFoundOut() => RandomSeed.Run(this, seed =>
    {
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 4 << 20 });
        var torture = new CollectionTorture(store, keys: 2, seed);
        int mismatches = 0;
        string first = "";
        long start = Stopwatch.GetTimestamp();
        TestThreads.Run(TestThreads.MoreThanCores, _length, (_, _) =>
        {
            while (Stopwatch.GetElapsedTime(start) < _length)
            {
                try
                {
                    torture.Run(1);
                }
                catch (Exception failure) when (
                    failure is InvalidDataException
                    || (failure is InvalidOperationException && failure.Message.Contains("cannot be read")))
                {
                    if (Interlocked.Increment(ref mismatches) == 1)
                        first = failure.Message;
                }
            }
        });

        output.WriteLine($"{mismatches} mismatches in {torture.Reads} reads, the first: {first}");
        Assert.True(mismatches > 0, "Without the version check, no read of a hash went wrong.");
    });
}
#endif
