using System.Diagnostics;
using Cache.Core;
using Cache.Testing;

namespace Cache.Concurrency.Tests.Torture;

/// <summary>
/// Self-proving values that compress well, read, written, moved and compressed by more threads than cores: none is ever
/// torn, foreign, or seen again after it was replaced.
/// </summary>
public sealed class CompressedTortureTests(ITestOutputHelper output)
{
    private static readonly TimeSpan _length = TimeSpan.FromSeconds(
        int.TryParse(Environment.GetEnvironmentVariable("CACHE_TORTURE_SECONDS"), out int seconds) ? seconds : 5);

    // So many that what is used does not fit, and few whose values change while they are read.
    [Theory]
    [InlineData(ValueCompression.All, 20_000, 4 << 20)]
    [InlineData(ValueCompression.Cold, 20_000, 4 << 20)]
    [InlineData(ValueCompression.All, 4_000, CacheOptions.MemoryLimitMin)]
    public void Values_WhileTheyAreCompressed_AreNeverTornForeignOrOld(
        ValueCompression mode, int keys, long limitBytes) =>
        RandomSeed.Run(this, seed =>
        {
            using var store = new CacheStore(
                new CacheOptions { MemoryLimitBytes = limitBytes, ShardCount = 2, Compression = mode });
            var torture = new CompressedTorture(store, keys, seed);
            long peak = 0;
            long start = Stopwatch.GetTimestamp();
            TestThreads.Run(TestThreads.MoreThanCores, _length, (thread, stop) =>
            {
                while (!stop.IsCancellationRequested && Stopwatch.GetElapsedTime(start) < _length)
                {
                    torture.Run(thread, 100);
                    if (thread == 0)
                        peak = Math.Max(peak, store.GetStatistics().MemoryBytes);
                }
            });

            store.AssertValid();
            var statistics = store.GetStatistics();
            long tries = statistics.CompressionTries;
            output.WriteLine(
                $"{torture.Reads} reads, {torture.Hits} of them hits; "
                + $"{tries} tries, {statistics.CompressedCount} compressed of {statistics.Count}, "
                + $"{statistics.Evictions} evictions, dictionaries {store.Dictionaries()}, at most {peak} bytes.");
            Assert.True(tries > 1_000, $"Only {tries} values were tried.");
            Assert.True(statistics.CompressedCount > 100, $"Only {statistics.CompressedCount} values are compressed.");
            Assert.InRange(peak, limitBytes / 2, limitBytes + limitBytes / 50); // The limit is kept within two percent.
        });
}
