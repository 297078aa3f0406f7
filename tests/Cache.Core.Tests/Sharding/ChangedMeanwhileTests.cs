using Cache.Core.Hashing;
using Cache.Core.Operations;
using Cache.Core.Sharding;
using Cache.Core.Validation;
using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Sharding;

/// <summary>Operations whose key, or whose keyspace, is changed between their look and their lock.</summary>
public sealed class ChangedMeanwhileTests
{
    private const int Large = 300_000;

    [Fact]
    public void TryRemove_OfALargeValueThatIsReplacedMeanwhile_HandsOutWhatItRemoves()
    {
        using var fixture = new StoreFixture();
        var store = fixture.Store;
        store.Set("key"u8, Filled(Large, 1));
        byte[] room = new byte[Large];
        var sink = new ChangingSink(room, [0], () => store.Set("key"u8, Filled(Large, 2)));

        Assert.True(store.TryRemove("key"u8, ref sink));

        Assert.Equal(Filled(Large, 2), room);
        Assert.False(store.Contains("key"u8));
    }

    // A clear changes no bucket, so that the version which was read still holds.
    [Fact]
    public void Set_WhileTheKeyspaceIsClearedAfterThePreviousValueWasRead_WritesAnEntryOfItsOwn()
    {
        using var fixture = new StoreFixture();
        var store = fixture.Store;
        store.Set("key"u8, "first"u8);
        var sink = new ChangingSink(new byte[5], [0], store.Clear);

        Assert.Equal(WriteStatus.Done, store.Set("key"u8, "second"u8, default, ref sink, out bool existed));

        Assert.False(existed);
        Assert.Equal("second", fixture.Get("key"));
    }

    // Cleared at each call for a key in turn, of which some come while all homes are locked.
    [Fact]
    public void SetMany_WhileTheKeyspaceIsCleared_LeavesAllOrNone()
    {
        byte[][] keys = [Bytes("a"), Bytes("b"), Bytes("c")];
        bool isCleared = true;
        for (int call = 1; isCleared; call++)
        {
            using var fixture = new StoreFixture();
            var store = fixture.Store;
            store.Set("other"u8, "value"u8); // A keyspace that nobody wrote needs no clear.
            isCleared = false;
            var entries = new ClearingEntries(keys, [call], () =>
            {
                store.Clear();
                isCleared = true;
            });

            Assert.Equal(WriteStatus.Done, store.SetMany(ref entries, SetCondition.Always));

            Assert.Contains(keys.Count(key => store.GetArray(key) is not null), (int[])[0, keys.Length]);
            Assert.InRange(call, 1, 100);
        }
    }

    [Theory]
    [InlineData("moved or evicted")]
    [InlineData("evicted for want of room")]
    [InlineData("swept")]
    public void Record_OfAKeyspaceThatWasCleared_IsNeitherExpiredNorEvicted(string visit)
    {
        var clock = new FakeTimeProvider();
        using var state = new StoreState(
            new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = 1 }, clock, KeyedHash.CreateRandom());
        var shard = state.Shards[0];
        var key = state.KeyOf("key"u8, 0);
        var options = new EntryOptions { ExpiresAtMs = state.Clock.NowMs + 50 };
        Assert.Equal(WriteStatus.Done, EntryWriter.Set(state, key, "value"u8, options));
        Assert.True(shard.TryFindOverwrite(key.Hash, state.Generations.Of(0), out var found));
        Assert.True(state.TryClear(1));
        clock.Advance(60); // The next sweep comes later.

        if (visit == "swept")
            shard.RemoveIfDue(found.Record, key.Hash);
        else if (visit == "moved or evicted")
            Assert.Equal(0, shard.Reclaim(found.Record, key.Hash, state.Reclaimer));
        else
            Assert.True(shard.EvictIfAllowed(found.Record, key.Hash, state.Reclaimer, isMain: false));

        var statistics = shard.GetStatistics();
        Assert.Equal((0, 0), (statistics.Evictions, statistics.Expirations));
        Assert.Equal(0, state.EntryCount);
        StoreValidator.Validate(state);
    }

    /// <summary>Does something when it is asked for a span the first time.</summary>
    private readonly struct ChangingSink(byte[] room, int[] spans, Action change) : IValueSink
    {
        public Span<byte> GetSpan(int length)
        {
            if (spans[0]++ == 0)
                change();
            return room.AsSpan(0, length);
        }

        public void Advance(int length)
        {
        }
    }

    /// <summary>Clears the keyspace at one of the calls for a key.</summary>
    private readonly struct ClearingEntries(byte[][] keys, int[] callsLeft, Action clear) : IEntrySource
    {
        public int Count => keys.Length;

        public ReadOnlySpan<byte> GetKey(int index)
        {
            if (--callsLeft[0] == 0)
                clear();
            return keys[index];
        }

        public ReadOnlySpan<byte> GetValue(int index) => "value"u8;
    }
}
