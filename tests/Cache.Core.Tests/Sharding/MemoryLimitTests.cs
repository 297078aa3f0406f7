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

    // Segments keep the place of the first limit, but not its size; index and ghosts of many entries are given back.
    [Theory]
    [InlineData(EvictionPolicy.AllEntries, 2 << 20)]
    [InlineData(EvictionPolicy.AllEntries, 1 << 20)]
    [InlineData(EvictionPolicy.ExpiringEntries, 2 << 20)]
    public void MemoryLimitBytes_LoweredFar_IsKeptAndUsed(EvictionPolicy policy, long lowered)
    {
        const long First = 128 << 20;
        using var fixture = Limited(First, 4);
        fixture.Store.Eviction = policy;
        var options = policy == EvictionPolicy.ExpiringEntries
            ? StoreFixture.ExpiringAt(fixture.NowMs + 1_000_000)
            : default;
        for (int i = 0; i < 1_500_000; i++)
            fixture.Store.Set(BitConverter.GetBytes(i), new byte[64], options);
        Assert.InRange(fixture.Store.GetStatistics().MemoryBytes, First * 9 / 10, First * 102 / 100);

        fixture.Store.MemoryLimitBytes = lowered;

        Assert.InRange(fixture.Store.GetStatistics().MemoryBytes, lowered / 2, lowered * 102 / 100);
        fixture.Store.AssertValid();
        fixture.Store.ResetStatistics();
        for (int i = 0; i < 100_000; i++)
        {
            Assert.Equal(WriteStatus.Done, fixture.Store.Set(BitConverter.GetBytes(i), new byte[i % 60], options));
            if (i >= 50_000)
                Assert.True(fixture.Store.GetStatistics().MemoryBytes >= lowered * 95 / 100);
        }

        Assert.InRange(fixture.Store.GetStatistics().MemoryPeakBytes, lowered * 95 / 100, lowered * 102 / 100);
        fixture.Store.MemoryLimitBytes = First;
        for (int i = 0; i < 1_500_000; i++)
            fixture.Store.Set(BitConverter.GetBytes(i), new byte[64], options);
        Assert.InRange(fixture.Store.GetStatistics().MemoryBytes, First * 95 / 100, First * 102 / 100);
    }

    // What was copied to be ready for the lower limit gained nothing, and says nothing about what a write can gain.
    [Fact]
    public void Set_OfALargeValueAfterTheLimitWasLowered_EvictsOthers()
    {
        const long Lowered = 31 << 20;
        using var fixture = Limited(64 << 20, 4);
        for (int i = 0; fixture.Store.GetStatistics().MemoryBytes < Lowered * 98 / 100; i++)
            fixture.Store.Set(BitConverter.GetBytes(i), new byte[i % 150 == 0 ? 50_000 : 400]);

        fixture.Store.MemoryLimitBytes = Lowered;

        Assert.Equal(0, fixture.Store.GetStatistics().Evictions);
        for (int i = 0; i < 100; i++)
            Assert.Equal(WriteStatus.Done, fixture.Store.Set(BitConverter.GetBytes(-1 - i), new byte[50_000]));
    }

    [Fact]
    public void MemoryLimitBytes_LoweredBelowLongRecords_LosesNoneWithoutEviction() => RandomSeed.Run(this, seed =>
    {
        var random = new Random(seed);
        using var fixture = Limited(64 << 20, 4);
        fixture.Store.Eviction = EvictionPolicy.None;
        var written = new Dictionary<int, int>();
        for (int i = 0; i < 400; i++)
        {
            written[i] = random.Next(30_000); // Records of up to an eighth of the first segments: 32 KB.
            Assert.Equal(
                WriteStatus.Done, fixture.Store.Set(BitConverter.GetBytes(i), PatternOf(i, written[i])));
        }

        fixture.Store.MemoryLimitBytes = 8 << 20;
        for (int i = 0; i < 20_000; i++)
        {
            int key = random.Next(400);
            int length = random.Next(written[key] + 1);
            if (fixture.Store.Set(BitConverter.GetBytes(key), PatternOf(key, length)) == WriteStatus.Done)
                written[key] = length;
        }

        foreach (var (key, length) in written)
            Assert.Equal(PatternOf(key, length), fixture.Store.GetArray(BitConverter.GetBytes(key)));
        Assert.Equal((400, 0), (fixture.Store.Count, fixture.Store.GetStatistics().Evictions));
        Assert.InRange(fixture.Store.GetStatistics().MemoryBytes, 0, (8 << 20) * 102L / 100);
    });

    [Fact]
    public void Sweep_AMillionEntriesDueAtOnce_AreGoneWithinASecond()
    {
        const int Entries = 1_000_000;
        using var fixture = Limited(256 << 20, 4);
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
        Assert.InRange(statistics.MemoryBytes - empty, 0, 8 << 20);
    }

    private static byte[] PatternOf(int key, int length)
    {
        byte[] value = new byte[length];
        new Random(key * 1_000_003 + length).NextBytes(value);
        return value;
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
