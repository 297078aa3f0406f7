using System.Diagnostics;
using Cache.Core;
using Cache.Testing;

namespace Cache.Concurrency.Tests;

/// <summary>The limit, up and down while others write: kept within two percent at every moment.</summary>
public sealed class MemoryLimitUnderLoadTests
{
    private const int LimitsMin = 10;
    private const int SamplesMin = 100;

    private static readonly TimeSpan _length = TimeSpan.FromSeconds(3);

    // How much longer the slowest machine may take for so many of both.
    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(30);

    [Theory]
    [InlineData(400)]
    [InlineData(20_000)]
    public void MemoryLimitBytes_ChangedUnderLoad_IsKeptAtEveryMoment(int lengthMax) => RandomSeed.Run(this, seed =>
    {
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 64 << 20 });
        long start = Stopwatch.GetTimestamp();
        long samples = 0;
        var allowed = new AllowedBytes();
        TestThreads.Run(TestThreads.MoreThanCores + 2, _length, (thread, stop) =>
        {
            var random = new Random(seed + thread);
            while (!stop.IsCancellationRequested && GoesOn())
            {
                if (thread == 0)
                    Change(store, random, allowed);
                else if (thread == 1)
                    Sample(store, allowed, ref samples);
                else
                    Write(store, random, lengthMax);
            }
        });

        store.AssertValid();
        Assert.True(HasChanged(), $"The limit was changed only {allowed.Changes / 4} times.");
        Assert.True(HasSampled(), $"The memory was looked at only {samples} times.");

        bool HasChanged() => allowed.Changes > 4 * LimitsMin;
        bool HasSampled() => Volatile.Read(ref samples) > SamplesMin;
        bool GoesOn() => Stopwatch.GetElapsedTime(start) is var elapsed
            && (elapsed < _length || (elapsed < _patience && !(HasChanged() && HasSampled())));
    });

    // While it is lowered, the former limit is the one that is kept.
    private static void Change(CacheStore store, Random random, AllowedBytes allowed)
    {
        long limit = (2L << 20) << random.Next(6);
        allowed.Set(Math.Max(store.MemoryLimitBytes, limit));
        store.MemoryLimitBytes = limit;
        allowed.Set(limit);
        Assert.InRange(store.GetStatistics().MemoryBytes, 0, limit * 102 / 100);
    }

    // A sample counts if the limit was the same on both sides of it, during a change as well.
    private static void Sample(CacheStore store, AllowedBytes allowed, ref long samples)
    {
        int changes = allowed.Changes;
        long limit = allowed.Bytes;
        long used = store.GetStatistics().MemoryBytes;
        if (allowed.Changes != changes)
            return;
        Assert.True(used <= limit * 102 / 100, $"{used} bytes are held; the limit is {limit}.");
        samples++;
    }

    private static void Write(CacheStore store, Random random, int lengthMax)
    {
        for (int i = 0; i < 100; i++)
        {
            byte[] key = BitConverter.GetBytes(random.Next(200_000));
            if (random.Next(3) == 0)
                store.Contains(key);
            else
                Assert.Equal(WriteStatus.Done, store.Set(key, new byte[random.Next(lengthMax)]));
        }
    }

    /// <summary>The limit that is to be kept at present, and how often it was another.</summary>
    private sealed class AllowedBytes
    {
        private long _bytes = 64 << 20;
        private int _changes;

        public long Bytes => Volatile.Read(ref _bytes);

        public int Changes => Volatile.Read(ref _changes);

        // Counted on both sides, so that no sample sees the limit of one moment and the count of another.
        public void Set(long bytes)
        {
            Interlocked.Increment(ref _changes);
            Volatile.Write(ref _bytes, bytes);
            Interlocked.Increment(ref _changes);
        }
    }
}
