using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests;

public sealed class CacheStoreTests : IDisposable
{
    private readonly StoreFixture _fixture = new();

    private CacheStore Store => _fixture.Store;

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void SelectKeyspace_SameKey_HoldsAnEntryInEach()
    {
        for (int i = 0; i < Store.KeyspaceCount; i++)
            Store.SelectKeyspace(i).Set("key"u8, Bytes($"value {i}"));

        for (int i = 0; i < Store.KeyspaceCount; i++)
        {
            var keyspace = Store.SelectKeyspace(i);
            Assert.Equal(i, keyspace.Keyspace);
            Assert.Equal($"value {i}", StoreFixture.Get(keyspace, "key"));
            Assert.Equal(1, keyspace.Count);
        }

        Assert.Equal(Store.KeyspaceCount, Store.GetStatistics().Count);
    }

    [Theory]
    [InlineData(-1)]
    [InlineData(16)]
    public void SelectKeyspace_OutOfRange_Throws(int index) =>
        Assert.Throws<ArgumentOutOfRangeException>(() => Store.SelectKeyspace(index));

    [Fact]
    public void SelectKeyspace_AnyView_ReachesEveryOther()
    {
        var second = Store.SelectKeyspace(2);

        Assert.Same(Store.SelectKeyspace(0), second.SelectKeyspace(0));
        Assert.Same(second, second.SelectKeyspace(2));
    }

    [Fact]
    public void Clear_OneKeyspace_LeavesTheOthers()
    {
        var other = Store.SelectKeyspace(1);
        for (int i = 0; i < 1_000; i++)
        {
            Store.Set(Bytes($"key:{i}"), "value"u8, i % 2 == 0 ? default : ExpiringAt(_fixture.NowMs + 1_000));
            other.Set(Bytes($"key:{i}"), "value"u8);
        }

        Store.Clear();

        Assert.Equal((0, 1_000), (Store.Count, other.Count));
        Assert.Null(_fixture.Get("key:1"));
        Assert.NotNull(StoreFixture.Get(other, "key:1"));
        Assert.Equal((1_000, 0), (Store.GetStatistics().Count, Store.GetStatistics().ExpiringCount));
    }

    [Fact]
    public void ClearAll_FullStore_GivesTheMemoryBack()
    {
        for (int i = 0; i < 10_000; i++)
            Store.SelectKeyspace(i % 3).Set(Bytes($"key:{i}"), new byte[500]);
        long before = Store.GetStatistics().MemoryBytes;

        Store.ClearAll();
        _fixture.Clock.Advance(5_000);

        Assert.Equal(0, Store.GetStatistics().Count);
        Assert.True(Store.GetStatistics().MemoryBytes < before / 2);
    }

    [Fact]
    public void GetStatistics_Reads_CountHitsAndMisses()
    {
        _fixture.Set("key", "value");

        _fixture.Get("key");
        _fixture.Get("key");
        _fixture.Get("absent");
        Store.Contains("key"u8);
        Store.Contains("absent"u8);

        var statistics = Store.GetStatistics();
        Assert.Equal((3, 2), (statistics.Hits, statistics.Misses));
    }

    [Fact]
    public void GetStatistics_Expirations_CountLazyOnes()
    {
        for (int i = 0; i < 10; i++)
            _fixture.Set($"key:{i}", "value", ExpiringAt(_fixture.NowMs + 10));
        Assert.Equal(10, Store.GetStatistics().ExpiringCount);

        _fixture.Clock.Advance(10);
        for (int i = 0; i < 10; i++)
            _fixture.Get($"key:{i}");

        var statistics = Store.GetStatistics();
        Assert.Equal((0, 0, 10), (statistics.Count, statistics.ExpiringCount, statistics.Expirations));
    }

    [Fact]
    public void GetStatistics_Memory_CountsAtLeastKeysAndValues()
    {
        long before = Store.GetStatistics().MemoryBytes;
        for (int i = 0; i < 1_000; i++)
            Store.Set(Bytes($"key:{i:D6}"), new byte[1_000]);

        Assert.InRange(Store.GetStatistics().MemoryBytes - before, 1_000 * 1_010, 1_000 * 1_500);
    }

    [Fact]
    public void ResetStatistics_Counters_StartFromZero()
    {
        _fixture.Set("key", "value");
        _fixture.Get("key");
        _fixture.Get("absent");

        Store.ResetStatistics();

        var statistics = Store.GetStatistics();
        Assert.Equal((0, 0, 0, 0), (statistics.Hits, statistics.Misses, statistics.Evictions, statistics.Expirations));
        Assert.Equal(1, statistics.Count);
        Assert.Equal(statistics.MemoryBytes, statistics.MemoryPeakBytes);
    }

    [Fact]
    public void NowMs_FakeClock_MovesWithIt()
    {
        long before = Store.NowMs;

        _fixture.Clock.Advance(1_234);

        Assert.Equal(before + 1_234, Store.NowMs);
    }

    [Fact]
    public void Dispose_Twice_IsHarmless()
    {
        var view = Store.SelectKeyspace(1);
        Store.Dispose();
        Store.Dispose();
        view.Dispose();
    }
}
