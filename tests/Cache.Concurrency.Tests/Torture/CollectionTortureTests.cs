using System.Diagnostics;
using Cache.Core;
using Cache.Testing;

namespace Cache.Concurrency.Tests.Torture;

/// <summary>
/// Hashes whose fields prove themselves, read and written by more threads than cores: no field is ever torn or foreign,
/// and what is written together is read together.
/// </summary>
public sealed class CollectionTortureTests(ITestOutputHelper output)
{
    private const long HitsMin = 1_000;

    // Few that are always written, and many beside strings under eviction.
    [Theory]
    [InlineData(2, 0)]
    [InlineData(200, 300)]
    public void Fields_OfHashesThatAreWritten_AreNeverTornForeignOrApart(int keys, int fillers) =>
        RandomSeed.Run(this, seed =>
        {
            using var store = new CacheStore(
                new CacheOptions { MemoryLimitBytes = CacheOptions.MemoryLimitMin, ShardCount = 2 });
            var torture = new CollectionTorture(store, keys, seed);
            long start = Stopwatch.GetTimestamp();
            TestThreads.Run(TestThreads.MoreThanCores, TortureLength.Expected, (thread, stop) =>
            {
                var random = new Random(seed + thread);
                while (!stop.IsCancellationRequested && TortureLength.GoesOn(start, torture.Hits > HitsMin))
                {
                    torture.Run(50);
                    for (int i = 0; i < fillers / 10; i++)
                        store.Set(BitConverter.GetBytes(random.Next(fillers * 10)), new byte[random.Next(1_000)]);
                }
            });

            store.AssertValid();
            long evictions = store.GetStatistics().Evictions;
            output.WriteLine($"{torture.Reads} reads, {torture.Hits} of them hits, {evictions} evictions.");
            Assert.True(torture.Hits > HitsMin, $"Only {torture.Hits} hits.");
            Assert.Equal(fillers > 0, evictions > 0);
        });
}
