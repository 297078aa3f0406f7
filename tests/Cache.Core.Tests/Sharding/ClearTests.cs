using Cache.Core.Sharding;
using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Sharding;

/// <summary>A clear takes place at once, and its memory comes back later. The fixture proves the store whole.</summary>
public sealed class ClearTests : IDisposable
{
    private const int Entries = 20_000;

    private readonly StoreFixture _fixture = new();

    private CacheStore Store => _fixture.Store;

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void Clear_ManyEntries_VisitsNone()
    {
        Fill(Store, Entries);

        Store.Clear();

        Assert.Equal((0, Entries), (Store.Count, Store.IndexedCount));
        Assert.Equal((0, 0), (Store.GetStatistics().Count, Store.GetStatistics().ExpiringCount));
    }

    [Fact]
    public void Clear_ThenASweep_FreesAll()
    {
        Fill(Store, Entries);
        long before = Store.GetStatistics().MemoryBytes;
        Store.Clear();

        _fixture.Clock.Advance(2_000);

        Assert.Equal(0, Store.IndexedCount);
        Assert.InRange(Store.GetStatistics().MemoryBytes, 0, before / 8);
        Assert.Equal((0, 0), (Store.GetStatistics().Evictions, Store.GetStatistics().Expirations));
    }

    [Fact]
    public void Clear_OfOneKeyspace_HidesItsEntriesFromEveryDoor()
    {
        var other = Store.SelectKeyspace(8); // Its generations begin with the same number.
        Fill(Store, 1_000);
        Fill(other, 1_000);
        Store.Set("large"u8, Filled(300_000, 1));
        Store.TryPeekInfo("key:1"u8, out var info);

        Store.Clear();

        var sink = default(ArraySink);
        var options = new EntryOptions { Condition = SetCondition.IfPresent };
        Assert.Null(Store.GetArray("key:1"u8));
        Assert.False(Store.TryGetInfo("key:1"u8, out _));
        Assert.False(Store.TryGetAndExpire("key:1"u8, 0, ref sink));
        Assert.False(Store.TryRemove("key:1"u8, ref sink));
        Assert.False(Store.Remove("key:1"u8));
        Assert.False(Store.TryGet("large"u8, Store.BeginPrefetch("large"u8), ref sink, 0, out _));
        Assert.Equal(WriteStatus.ConditionNotMet, Store.Set("key:1"u8, "value"u8, options));
        Assert.Equal(WriteStatus.ConditionNotMet, Store.SetIfUnchanged("key:1"u8, "value"u8, default, info.Version));
        Assert.Equal(WriteStatus.NotFound, Store.Expire("key:1"u8, _fixture.NowMs + 1, ExpireConditions.None));
        Assert.Equal(WriteStatus.NotFound, Store.Rename("key:1"u8, "key:2"u8, SetCondition.Always));
        Assert.False(Store.TryGetRandomKey(ref sink));
        Assert.Empty(Store.ScanAll(100));
        Assert.Equal(WriteStatus.Done, Store.Increment("key:1"u8, 7, out long sum));
        Assert.Equal(7, sum);
        Assert.Equal(1_000, other.ScanAll(100).Distinct().Count());
    }

    [Fact]
    public void Clear_WhileAValueIsLent_LeavesIt()
    {
        Store.Set("large"u8, Filled(300_000, 7));
        var sink = default(ArraySink);
        Store.TryGet("large"u8, Store.BeginPrefetch("large"u8), ref sink, 0, out var lent);

        Store.Clear();
        _fixture.Clock.Advance(1_000);

        Assert.Equal(Filled(300_000, 7), lent!.Span.ToArray());
        lent.Dispose();
    }

    [Fact]
    public void Clear_AKeyThatIsWrittenAgain_HasItsOwnEntry()
    {
        Store.Set("key"u8, "first"u8, ExpiringAt(_fixture.NowMs + 1_000));
        Store.Clear();
        Store.Set("key"u8, "second"u8);

        Assert.Equal("second", _fixture.Get("key"));
        _fixture.Clock.Advance(2_000); // Past the sweep, and past the first one's expiry.
        Assert.Equal("second", _fixture.Get("key"));
        Assert.Equal((1, 1, 0), (Store.Count, Store.IndexedCount, Store.GetStatistics().Expirations));
    }

    [Theory]
    [InlineData(EvictionPolicy.None)]
    [InlineData(EvictionPolicy.AllEntries)]
    public void Set_InAFullStoreThatWasCleared_TakesTheRoomOfWhatWasCleared(EvictionPolicy eviction)
    {
        using var fixture = new StoreFixture(options =>
        {
            options.MemoryLimitBytes = 4 << 20;
            options.Eviction = eviction;
        });
        var kept = fixture.Store.SelectKeyspace(1);
        Fill(kept, 5_000);
        Fill(fixture.Store, 25_000);
        long evictions = fixture.Store.GetStatistics().Evictions;
        long keptCount = kept.Count;

        fixture.Store.Clear();
        Fill(fixture.Store, 10_000); // No sweep in between.

        Assert.Equal((10_000, keptCount), (fixture.Store.Count, kept.Count));
        Assert.Equal(evictions, fixture.Store.GetStatistics().Evictions);
    }

    [Fact]
    public void TryClear_MoreOftenThanThereAreGenerations_WaitsForTheSweep()
    {
        int cleared = 0;
        for (; cleared < 100; cleared++)
        {
            _fixture.Set("key", "value");
            if (!Store.TryClear())
                break;
        }

        Assert.Equal(7, cleared);
        Assert.Equal("value", _fixture.Get("key"));
        _fixture.Clock.Advance(100);
        Assert.True(Store.TryClear());
        Assert.Null(_fixture.Get("key"));
    }

    [Fact]
    public void Clear_MoreOftenThanThereAreGenerations_FreesByItself()
    {
        for (int i = 0; i < 1_000; i++)
        {
            _fixture.Set("key", "value");
            if (i % 2 == 0)
                Store.Clear();
            else
                Store.ClearAll();
            Assert.Equal(0, Store.Count);
        }

        Assert.InRange(Store.IndexedCount, 0, 8);
    }

    [Fact]
    public void TryClear_OfAKeyspaceThatNobodyWrote_DoesNothing()
    {
        Store.Set("key"u8, "value"u8);

        for (int i = 0; i < 100; i++)
            Assert.True(Store.SelectKeyspace(3).TryClear());
        Assert.Equal(1, Store.Count);
    }

    // In more buckets than one call visits.
    [Fact]
    public void Scan_OfAnEmptyKeyspaceBesideMany_EndsAtOnce()
    {
        Fill(Store, 4 * Entries);
        var sink = new KeyListSink();

        Assert.Equal(0UL, Store.SelectKeyspace(1).Scan(0, 1, ref sink));
        Store.Clear();
        Assert.Equal(0UL, Store.Scan(0, 1, ref sink));
    }

    [Fact]
    public void Set_IntoPagesFullOfClearedEntries_NeedsNoFurtherPages()
    {
        Fill(Store, Entries);
        long before = Store.GetStatistics().MemoryBytes;
        Store.Clear();

        Fill(Store, Entries);

        // Without freeing what fills them, each page would have been split.
        Assert.InRange(Store.GetStatistics().MemoryBytes, 0, before * 2 + (1 << 18));
        Assert.Equal(Entries, Store.Count);
    }

    // The writer is paused between its look at what was cleared and its locks; meanwhile that was freed, and one of the
    // generations is in use again.
    [Fact]
    public void Set_IntoAFullPageWhileAGenerationIsUsedAgain_FreesNothingOfIt()
    {
        using var fixture = new StoreFixture(options => options.ShardCount = 1);
        var store = fixture.Store;
        for (int i = 0; i < 7; i++)
        {
            store.Set("key"u8, "value"u8);
            Assert.True(store.TryClear());
        }

        bool wasPaused = false;
        RoomSteps.Observe(step =>
        {
            if (wasPaused || step != RoomStep.ClearedKnown)
                return;
            wasPaused = true;
            fixture.Clock.Advance(100); // The sweep frees all.
            Assert.True(store.TryClear());
            Fill(store, 100);
        });
        try
        {
            for (int i = 0; !wasPaused && i < 1_000; i++)
                store.Set(Bytes($"filler:{i}"), "value"u8);
        }
        finally
        {
            RoomSteps.Observe(null);
        }

        for (int i = 0; i < 100 && wasPaused; i++) // Steps are told in debug builds alone.
            Assert.NotNull(store.GetArray(Bytes($"key:{i}")));
    }

    // The writer is paused when its entry is counted, and its keyspace is not known to be written yet.
    [Fact]
    public async Task TryClear_BesideTheFirstWriteOfAKeyspace_ClearsWhatWasWrittenBefore()
    {
        using var fixture = new StoreFixture(options => options.ShardCount = 1);
        using var isOneWritten = new ManualResetEventSlim();
        Task[] others = [];
        int written = -1;
        string? left = null;
        RoomSteps.Observe(step =>
        {
            if (others.Length != 0 || step != RoomStep.EntryCounted)
                return;
            others = [.. Enumerable.Range(0, 8).Select(i => Task.Run(() => // One in the same bucket would wait.
            {
                fixture.Set($"other:{i}", "value");
                Interlocked.CompareExchange(ref written, i, -1);
                isOneWritten.Set();
            }))];
            isOneWritten.Wait(TimeSpan.FromSeconds(60));
            Assert.True(fixture.Store.TryClear());
            left = fixture.Get($"other:{written}");
        });
        try
        {
            fixture.Set("first", "value");
        }
        finally
        {
            RoomSteps.Observe(null);
        }

        await Task.WhenAll(others);
        Assert.Null(left);
    }

    private static void Fill(CacheStore store, int count)
    {
        for (int i = 0; i < count; i++)
        {
            var options = i % 3 == 0 ? ExpiringAt(store.NowMs + 1_000_000) : default;
            store.Set(Bytes($"key:{i}"), Filled(90, (byte)i), options);
        }
    }
}
