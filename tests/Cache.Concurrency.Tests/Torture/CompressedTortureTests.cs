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
    private const long TriesMin = 1_000;
    private const long CompressedMin = 100;

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
            bool isEnough = false;
            long start = Stopwatch.GetTimestamp();
            TestThreads.Run(TestThreads.MoreThanCores, TortureLength.Expected, (thread, stop) =>
            {
                while (!stop.IsCancellationRequested && TortureLength.GoesOn(start, Volatile.Read(ref isEnough)))
                {
                    torture.Run(thread, 100);
                    if (thread != 0)
                        continue;
                    var now = store.GetStatistics();
                    peak = Math.Max(peak, now.MemoryBytes);
                    Volatile.Write(
                        ref isEnough, now.CompressionTries > TriesMin && now.CompressedCount > CompressedMin);
                }
            });

            store.AssertValid();
            var statistics = store.GetStatistics();
            long tries = statistics.CompressionTries;
            output.WriteLine(
                $"{torture.Reads} reads, {torture.Hits} of them hits; "
                + $"{tries} tries, {statistics.CompressedCount} compressed of {statistics.Count}, "
                + $"{statistics.Evictions} evictions, dictionaries {store.Dictionaries()}, at most {peak} bytes.");
            Assert.True(tries > TriesMin, $"Only {tries} values were tried.");
            long compressed = statistics.CompressedCount;
            Assert.True(compressed > CompressedMin, $"Only {compressed} values are compressed.");
            Assert.InRange(peak, limitBytes / 2, limitBytes + limitBytes / 50); // The limit is kept within two percent.
        });
}
