using System.Buffers.Binary;
using System.Text;
using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests;

public sealed class ScanTests : IDisposable
{
    private readonly StoreFixture _fixture = new();

    private CacheStore Store => _fixture.Store;

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void Scan_EmptyStore_EndsWithoutKeys() => Assert.Empty(Store.ScanAll());

    [Theory]
    [InlineData(1, 1)]
    [InlineData(1, 10)]
    [InlineData(100, 1)]
    [InlineData(5_000, 7)]
    [InlineData(5_000, 100_000)]
    public void Scan_QuietStore_TakesEveryKeyOnce(int keys, int count)
    {
        var expected = Fill(keys);

        var taken = Store.ScanAll(count);

        Assert.Equal(expected, taken.Order(StringComparer.Ordinal));
    }

    [Fact]
    public void Scan_OneCall_TakesAboutTheCount()
    {
        Fill(10_000);
        var sink = new KeyListSink();

        ulong cursor = Store.Scan(0, 10, ref sink);

        Assert.NotEqual(0UL, cursor);
        Assert.InRange(sink.Keys.Count, 1, 1_000);
    }

    [Fact]
    public void Scan_EveryCursor_FitsADouble()
    {
        Fill(5_000);
        var sink = new KeyListSink();
        ulong cursor = 0;
        do
        {
            cursor = Store.Scan(cursor, 10, ref sink);
            Assert.InRange(cursor, 0UL, (1UL << 53) - 1);
        }
        while (cursor != 0);
    }

    [Fact]
    public void Scan_StoreGrowingFiftyfold_TakesEveryKeyThatStays()
    {
        var stays = Fill(1_000);
        var sink = new KeyListSink();
        ulong cursor = 0;
        int added = 0;
        do
        {
            cursor = Store.Scan(cursor, 5, ref sink);
            for (int i = 0; i < 300 && added < 50_000; i++)
                _fixture.Set($"added:{added++}", "value");
        }
        while (cursor != 0);

        Assert.Empty(stays.Except(sink.Keys));
    }

    [Fact]
    public void Scan_KeysRemovedMeanwhile_TakesEveryKeyThatStays()
    {
        var all = Fill(5_000);
        string[] stays = [.. all.Where(static (_, i) => i % 5 == 0)];
        var goes = new Queue<string>(all.Except(stays));
        var sink = new KeyListSink();
        ulong cursor = 0;
        do
        {
            cursor = Store.Scan(cursor, 5, ref sink);
            for (int i = 0; i < 10 && goes.TryDequeue(out string? key); i++)
                Store.Remove(Bytes(key));
        }
        while (cursor != 0);

        Assert.Empty(stays.Except(sink.Keys));
    }

    [Fact]
    public void Scan_OtherKeyspaces_TakesItsOwnKeysAlone()
    {
        Fill(100);
        var other = Store.SelectKeyspace(1);
        other.Set("own"u8, "value"u8);

        Assert.Equal(["own"], other.ScanAll());
        Assert.Equal(100, Store.ScanAll().Count);
    }

    // Who looks at a keyspace with few keys, beside one with many, must not wait for a walk over all of them.
    [Fact]
    public void Scan_FewKeysBesideALargeKeyspace_TakesSeveralCalls()
    {
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 256 << 20, ShardCount = 2 });
        Span<byte> key = stackalloc byte[sizeof(int)];
        for (int i = 0; i < 1_000_000; i++)
        {
            BinaryPrimitives.WriteInt32LittleEndian(key, i);
            store.Set(key, "x"u8);
        }

        var other = store.SelectKeyspace(1);
        for (byte i = 0; i < 40; i++) // Some in each shard: one without any is passed over.
            other.Set([i], "x"u8);
        var sink = new KeyListSink();
        int calls = 1;
        for (ulong cursor = 0; (cursor = other.Scan(cursor, 100, ref sink)) != 0; calls++)
            ;

        Assert.InRange(calls, 2, 100);
        Assert.Equal(40, sink.Keys.Distinct().Count());
    }

    [Fact]
    public void Scan_ExpiredEntries_AreLeftOut()
    {
        _fixture.Set("stays", "value");
        _fixture.Set("goes", "value", ExpiringAt(_fixture.NowMs + 10));
        _fixture.Clock.Advance(10);

        Assert.Equal(["stays"], Store.ScanAll());
    }

    [Fact]
    public void Scan_CursorsOfAStrangersMaking_AlwaysEnd() => RandomSeed.Run(this, seed =>
    {
        Fill(1_000);
        var random = new Random(seed);
        for (int i = 0; i < 2_000; i++)
        {
            ulong cursor = (ulong)random.NextInt64(long.MinValue, long.MaxValue) >> random.Next(64);
            var sink = new KeyListSink();
            for (int calls = 0; (cursor = Store.Scan(cursor, 100, ref sink)) != 0; calls++)
                Assert.InRange(calls, 0, 2_000);
        }
    });

    [Fact]
    public void Scan_CountBelowOne_Throws()
    {
        var sink = new KeyListSink();

        Assert.Throws<ArgumentOutOfRangeException>(() => Store.Scan(0, 0, ref sink));
    }

    [Fact]
    public void TryGetRandomKey_EmptyKeyspace_ReportsNone()
    {
        Fill(10);
        var sink = default(ArraySink);

        Assert.False(Store.SelectKeyspace(1).TryGetRandomKey(ref sink));
        Assert.Null(sink.Array);
    }

    [Fact]
    public void TryGetRandomKey_Often_TakesEveryKey()
    {
        var expected = Fill(20);
        Store.SelectKeyspace(1).Set("foreign"u8, "value"u8);
        var taken = new SortedSet<string>(StringComparer.Ordinal);
        for (int i = 0; i < 20_000 && taken.Count < expected.Count; i++)
        {
            var sink = default(ArraySink);
            Assert.True(Store.TryGetRandomKey(ref sink));
            taken.Add(Encoding.Latin1.GetString(sink.Array!));
        }

        Assert.Equal(expected, taken);
    }

    [Fact]
    public void TryGetRandomKey_OneLiveAmongExpired_TakesTheLiveOne()
    {
        for (int i = 0; i < 100; i++)
            _fixture.Set($"goes:{i}", "value", ExpiringAt(_fixture.NowMs + 10));
        _fixture.Set("stays", "value");
        _fixture.Clock.Advance(10);
        var sink = default(ArraySink);

        Assert.True(Store.TryGetRandomKey(ref sink));
        Assert.Equal("stays"u8.ToArray(), sink.Array);
    }

    private List<string> Fill(int keys)
    {
        List<string> names = [.. Enumerable.Range(0, keys).Select(static i => $"key:{i}")];
        foreach (string name in names)
            _fixture.Set(name, "value");
        names.Sort(StringComparer.Ordinal);
        return names;
    }
}
