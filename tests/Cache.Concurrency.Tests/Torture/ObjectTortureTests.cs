using System.Diagnostics;
using Cache.Core;
using Cache.Testing;

namespace Cache.Concurrency.Tests.Torture;

/// <summary>
/// Large hashes whose fields prove themselves, under all that may become of their keys, by more threads than cores: no
/// field is ever torn, foreign or apart from its pair, and each page has one owner at the end.
/// </summary>
public sealed class ObjectTortureTests(ITestOutputHelper output)
{
    private const long HitsMin = 1_000;
    private const int RenamesMin = 20;

    // Few that all write, some whose homes strings are written in, and many under eviction.
    [Theory]
    [InlineData(2, 300, 0)]
    [InlineData(16, 200, 100)]
    [InlineData(200, 300, 3_000)]
    public void Fields_OfLargeHashes_AreNeverTornForeignOrApart(int keys, int fields, int fillers) =>
        RandomSeed.Run(this, seed =>
        {
            int limit = fillers > 1_000 ? 3 << 20 : 8 << 20;
            using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = limit, ShardCount = 2 });
            var torture = new ObjectTorture(store, keys, fields, seed);
            long start = Stopwatch.GetTimestamp();
            TestThreads.Run(TestThreads.MoreThanCores, TortureLength.Expected, (thread, stop) =>
            {
                var random = new Random(seed + thread);
                while (!stop.IsCancellationRequested && TortureLength.GoesOn(start, torture.Hits > HitsMin))
                {
                    torture.Run(50);
                    for (int i = 0; i < fillers / 30; i++)
                        store.Set(BitConverter.GetBytes(random.Next(fillers)), new byte[random.Next(2_000)]);
                }
            });

            store.AssertValid();
            long evictions = store.GetStatistics().Evictions;
            output.WriteLine(
                $"{torture.Reads} reads, {torture.Hits} hits, {torture.Large} of large ones, {evictions} evictions.");
            Assert.True(torture.Hits > HitsMin, $"Only {torture.Hits} hits.");
            Assert.True(fillers < 1_000 || evictions > 100, $"Only {evictions} evictions.");
            Assert.True(torture.Large > 10, $"Only {torture.Large} reads of large hashes.");
        });

    // The same of sets and sorted sets.
    [Theory]
    [InlineData(4, 400, 0)]
    [InlineData(16, 300, 100)]
    [InlineData(200, 400, 3_000)]
    public void Members_OfLargeSets_AreNeverTornForeignOrApart(int keys, int members, int fillers) =>
        RandomSeed.Run(this, seed =>
        {
            int limit = fillers > 1_000 ? 3 << 20 : 8 << 20;
            using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = limit, ShardCount = 2 });
            var torture = new MemberTorture(store, keys, members, seed);
            long start = Stopwatch.GetTimestamp();
            TestThreads.Run(TestThreads.MoreThanCores, TortureLength.Expected, (thread, stop) =>
            {
                var random = new Random(seed + thread);
                while (!stop.IsCancellationRequested && TortureLength.GoesOn(start, torture.Hits > HitsMin))
                {
                    torture.Run(50);
                    for (int i = 0; i < fillers / 30; i++)
                        store.Set(BitConverter.GetBytes(-1 - random.Next(fillers)), new byte[random.Next(2_000)]);
                }
            });

            store.AssertValid();
            long evictions = store.GetStatistics().Evictions;
            output.WriteLine(
                $"{torture.Hits} hits, {torture.Large} of large ones, {torture.Compared} compared, "
                + $"{evictions} evictions.");
            Assert.True(torture.Hits > HitsMin, $"Only {torture.Hits} hits.");
            Assert.True(fillers < 1_000 || evictions > 100, $"Only {evictions} evictions.");
            Assert.True(torture.Large > 10, $"Only {torture.Large} reads of large ones.");
            Assert.True(torture.Compared > 10, $"Only {torture.Compared} sorted sets compared.");
        });

    // The same of lists.
    [Theory]
    [InlineData(4, 0)]
    [InlineData(16, 100)]
    [InlineData(100, 3_000)]
    public void Elements_OfLargeLists_AreNeverTornForeignOrInAnotherOrder(int keys, int fillers) =>
        RandomSeed.Run(this, seed =>
        {
            int limit = fillers > 1_000 ? 3 << 20 : 8 << 20;
            using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = limit, ShardCount = 2 });
            var torture = new ElementTorture(store, keys, seed);
            long start = Stopwatch.GetTimestamp();
            TestThreads.Run(TestThreads.MoreThanCores, TortureLength.Expected, (thread, stop) =>
            {
                var random = new Random(seed + thread);
                while (!stop.IsCancellationRequested && TortureLength.GoesOn(start, torture.Hits > HitsMin))
                {
                    torture.Run(50);
                    for (int i = 0; i < fillers / 30; i++)
                        store.Set(BitConverter.GetBytes(-1 - random.Next(fillers)), new byte[random.Next(2_000)]);
                }
            });

            store.AssertValid();
            long evictions = store.GetStatistics().Evictions;
            output.WriteLine($"{torture.Hits} hits, {torture.Large} of large ones, {evictions} evictions.");
            Assert.True(torture.Hits > HitsMin, $"Only {torture.Hits} hits.");
            Assert.True(fillers < 1_000 || evictions > 100, $"Only {evictions} evictions.");
            Assert.True(torture.Large > 10, $"Only {torture.Large} reads of large lists.");
        });

    // A write of the old key that began before the rename is in it, or goes to the old key's next hash.
    [Fact]
    public void Rename_BesideWritersOfTheOldKey_TakesNothingThatIsWrittenLater() =>
        RandomSeed.Run(this, seed =>
        {
            using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 8 << 20, ShardCount = 2 });
            long start = Stopwatch.GetTimestamp();
            int renamed = 0;
            TestThreads.Run(TestThreads.MoreThanCores + 2, TortureLength.Expected, (thread, stop) =>
            {
                var random = new Random(seed + thread);
                while (!stop.IsCancellationRequested
                    && TortureLength.GoesOn(start, Volatile.Read(ref renamed) > RenamesMin))
                {
                    if (thread != 0)
                        store.Hash("old"u8).Set(BitConverter.GetBytes(random.Next(400)), new byte[random.Next(60)]);
                    else if (store.Hash("old"u8).Count > 200)
                        renamed += RenameAndLookTwice(store);
                }
            });

            store.AssertValid();
            output.WriteLine($"{renamed} renames.");
            Assert.True(renamed > RenamesMin, $"Only {renamed} renames.");
        });

    private static int RenameAndLookTwice(CacheStore store)
    {
        Assert.Equal(WriteStatus.Done, store.Rename("old"u8, "new"u8, SetCondition.Always));
        var first = new FieldListSink();
        store.Hash("new"u8).GetAll(ref first);
        Thread.Yield();
        var second = new FieldListSink();
        store.Hash("new"u8).GetAll(ref second);
        if (!first.Fields.SequenceEqual(second.Fields))
            throw new InvalidDataException("A renamed hash was written by its old key.");
        store.Remove("new"u8);
        return 1;
    }
}
