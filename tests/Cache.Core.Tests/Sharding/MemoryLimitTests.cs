using Cache.Core.Contracts;
using Cache.Testing;

namespace Cache.Core.Tests.Sharding;

/// <summary>The byte limit under sizes of all kinds. The fixture proves the store whole at the end.</summary>
public sealed class MemoryLimitTests
{
    [Theory]
    [InlineData(1 << 20, 1)]
    [InlineData(1 << 20, 64)]
    [InlineData(16 << 20, 4)]
    public void Set_MixedSizes_StayWithinTwoPercent(long limit, int shardCount) => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        using var fixture = Limited(limit, shardCount);
        Fill(fixture, random, 10 * limit);

        Assert.InRange(fixture.Store.GetStatistics().MemoryPeakBytes, limit * 8 / 10, limit * 102 / 100);
    });

    [Fact]
    public void MemoryLimitBytes_ChangedAtRunTime_IsKeptInBothDirections() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        using var fixture = Limited(8 << 20, 4);
        foreach (long limit in new long[] { 8 << 20, 4 << 20, 32 << 20, 2 << 20, 16 << 20 })
        {
            fixture.Store.MemoryLimitBytes = limit;
            Assert.InRange(fixture.Store.GetStatistics().MemoryBytes, 0, limit * 102 / 100);
            fixture.Store.ResetStatistics();
            Fill(fixture, random, 3 * limit);
            var statistics = fixture.Store.GetStatistics();
            Assert.InRange(statistics.MemoryPeakBytes, limit * 7 / 10, limit * 102 / 100);
            fixture.Store.AssertValid();
        }
    });

    [Fact]
    public void Sweep_100000EntriesDueAtOnce_AreGoneWithinASecond()
    {
        const int Entries = 100_000;
        using var fixture = Limited(64 << 20, 4);
        long empty = fixture.Store.GetStatistics().MemoryBytes;
        var options = StoreFixture.ExpiringAt(fixture.NowMs + 10_000);
        for (int i = 0; i < Entries; i++)
            fixture.Store.Set(BitConverter.GetBytes(i), new byte[64], options);
        Assert.Equal((Entries, Entries), (fixture.Store.Count, fixture.Store.ExpiringCount));

        fixture.Clock.Advance(9_999);
        Assert.Equal(Entries, fixture.Store.Count);
        fixture.Clock.Advance(1_000);

        var statistics = fixture.Store.GetStatistics();
        Assert.Equal((0, 0, Entries), (statistics.Count, statistics.ExpiringCount, statistics.Expirations));
        // What stays is the index, about nine bytes for each entry.
        Assert.InRange(statistics.MemoryBytes - empty, 0, 24 * Entries);
    }

    // Most values are small, a few as large as the smallest store can be asked to hold beside others.
    private static void Fill(StoreFixture fixture, Random random, long bytes)
    {
        for (long written = 0; written < bytes;)
        {
            int length = random.Next(random.Next(100) == 0 ? 50_000 : 500);
            var status = fixture.Store.Set(BitConverter.GetBytes(random.Next(1 << 18)), new byte[length]);
            Assert.Equal(WriteStatus.Done, status);
            written += length + 16;
        }
    }

    private static StoreFixture Limited(long limit, int shardCount) => new(options =>
    {
        options.MemoryLimitBytes = limit;
        options.ShardCount = shardCount;
    });
}
