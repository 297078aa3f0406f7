using System.Diagnostics;
using Cache.Core;
using Cache.Core.Contracts;
using Cache.Testing;

namespace Cache.Concurrency.Tests;

/// <summary>The limit, up and down while others write: kept within two percent at every moment.</summary>
public sealed class MemoryLimitUnderLoadTests
{
    private static readonly TimeSpan _length = TimeSpan.FromSeconds(3);

    [Theory]
    [InlineData(400)]
    [InlineData(20_000)]
    public void MemoryLimitBytes_ChangedUnderLoad_IsKeptAtEveryMoment(int lengthMax) => RandomSeed.Run(this, seed =>
    {
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 64 << 20 });
        long start = Stopwatch.GetTimestamp();
        long samples = 0;
        int changes = 0;
        TestThreads.Run(TestThreads.MoreThanCores + 2, _length, (thread, stop) =>
        {
            var random = new Random(seed + thread);
            while (!stop.IsCancellationRequested && Stopwatch.GetElapsedTime(start) < _length)
            {
                if (thread == 0)
                    Change(store, random, ref changes);
                else if (thread == 1)
                    Sample(store, ref samples);
                else
                    Write(store, random, lengthMax);
            }
        });

        store.AssertValid();
        Assert.True(changes > 5, $"The limit was changed only {changes} times.");
        Assert.True(samples > 100, $"The memory was looked at only {samples} times.");
    });

    private static void Change(CacheStore store, Random random, ref int changes)
    {
        long limit = (2L << 20) << random.Next(6);
        store.MemoryLimitBytes = limit;
        Assert.InRange(store.GetStatistics().MemoryBytes, 0, limit * 102 / 100);
        changes++;
    }

    // The limit is read on both sides of the use, since it may fall in between.
    private static void Sample(CacheStore store, ref long samples)
    {
        long before = store.MemoryLimitBytes;
        long used = store.GetStatistics().MemoryBytes;
        long limit = Math.Max(before, store.MemoryLimitBytes);
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
}
