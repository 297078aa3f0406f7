using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Sharding;

/// <summary>Room is found where there is some, and no more is made than is needed.</summary>
public sealed class RoomTests
{
    // A second is usual; beside everything else on two processors it was half a minute.
    private static readonly TimeSpan _hangTime = TimeSpan.FromMinutes(3);

    [Theory]
    [InlineData(12)]
    [InlineData(13)]
    [InlineData(14)]
    public void SetMany_OfLargeValuesIntoAFullStore_EvictsOthers(int present)
    {
        using var fixture = new StoreFixture();
        for (int i = 0; i < present; i++)
            Assert.Equal(WriteStatus.Done, fixture.Store.Set(Bytes($"{i}"), new byte[1_000_000]));
        var entries = new EntryArray((Bytes("a"), new byte[3_000_000]), (Bytes("b"), new byte[3_000_000]));

        Assert.Equal(WriteStatus.Done, fixture.Store.SetMany(ref entries, SetCondition.Always));
    }

    // The former value and the new one do not fit beside each other; a third one needs no room of theirs.
    [Theory]
    [InlineData(9_000_000, 9_000_000)]
    [InlineData(14_000_000, 4_000_000)]
    [InlineData(4_000_000, 14_000_000)]
    public void Set_OfALargeValueThatHasNoRoomBesideTheFormerOne_ReplacesIt(int former, int length)
    {
        using var fixture = new StoreFixture();
        var store = fixture.Store;
        fixture.Set("other", "value");
        Assert.Equal(WriteStatus.Done, store.Set("key"u8, new byte[former]));
        Assert.Equal(WriteStatus.Done, store.Set("key"u8, Filled(length, 1)));
        Assert.Equal(Filled(length, 1), store.GetArray("key"u8));

        Assert.True(store.TryCreateValue(former, out var value));
        using (value)
            Assert.Equal(WriteStatus.Done, store.Set("key"u8, value, default));

        Assert.Equal("value", fixture.Get("other"));
        Assert.Equal(2, store.Count);
        Assert.Equal(former, store.GetArray("key"u8)?.Length);
    }

    // A record of half a segment leaves the rest of its segment unused, and again when it is copied.
    [Theory]
    [InlineData(0)]
    [InlineData(8)]
    public void Set_WithoutEviction_UsesTheRoomOfRemovedEntries(int halfSegments)
    {
        using var fixture = Unevicted(1 << 20);
        var store = fixture.Store;
        for (int i = 0; i < halfSegments; i++)
            Assert.Equal(WriteStatus.Done, store.Set(Bytes($"b{i:D7}"), new byte[2036]));
        int count = 0;
        while (store.Set(Bytes($"{count:D8}"), new byte[84]) == WriteStatus.Done)
            count++;
        int removed = Enumerable.Range(0, count).Count(i => i % 5 < 2 && store.Remove(Bytes($"{i:D8}")));

        int written = Enumerable.Range(0, removed)
            .Count(i => store.Set(Bytes($"n{i:D7}"), new byte[84]) == WriteStatus.Done);

        Assert.True(written > removed / 2, $"Of {count} entries {removed} were removed, {written} were written.");
    }

    // Where nothing expires nothing may go: then what is dead must do, however little of each segment that is.
    [Theory]
    [InlineData(EvictionPolicy.None)]
    [InlineData(EvictionPolicy.ExpiringEntries)]
    public void Set_WhereNothingMayGo_UsesTheRoomOfFewRemovedEntries(EvictionPolicy policy)
    {
        using var fixture = Limited(4 << 20, policy);
        var store = fixture.Store;
        int count = 0;
        while (store.Set(Bytes($"{count:D8}"), new byte[84]) == WriteStatus.Done)
            count++;
        int removed = Enumerable.Range(0, count).Count(i => i % 6 == 0 && store.Remove(Bytes($"{i:D8}")));

        int written = Enumerable.Range(0, removed)
            .Count(i => store.Set(Bytes($"n{i:D7}"), new byte[84]) == WriteStatus.Done);

        Assert.True(written > removed / 2, $"Of {count} entries {removed} were removed, {written} were written.");
    }

    // An expiry that was taken away leaves its record among those that expire: little of each segment may go then.
    [Theory]
    [InlineData(20)]
    [InlineData(30)]
    public void Set_OfALargeValueWhereFewOfEachSegmentMayGo_EvictsThem(int one)
    {
        const int Length = 200;
        using var fixture = Limited(16 << 20, EvictionPolicy.ExpiringEntries);
        var store = fixture.Store;
        var options = ExpiringAt(fixture.NowMs + 1_000_000);
        int count = 0;
        while (store.GetStatistics().MemoryBytes < (16 << 20) - (512 << 10))
            Assert.Equal(WriteStatus.Done, store.Set(Bytes($"{count++:D8}"), new byte[Length], options));
        int stays = Enumerable.Range(0, count)
            .Count(i => i % one != 0 && store.Persist(Bytes($"{i:D8}")) == WriteStatus.Done);

        // As much as is free, and half of what may go.
        byte[] large = new byte[(512 << 10) + store.ExpiringCount * Length / 2];
        Assert.Equal(WriteStatus.Done, store.Set("large"u8, large));
        Assert.Equal(stays + 1, store.Count - store.ExpiringCount);
    }

    [Theory]
    [InlineData(0)]
    [InlineData(8)]
    public void Set_WithoutEvictionAfterSweepsThatGainedLittle_UsesTheRoomOfRemovedEntries(int sweeps)
    {
        using var fixture = Unevicted(4 << 20);
        var store = fixture.Store;
        int count = 0;
        while (store.GetStatistics().MemoryBytes < 3_500_000)
            Assert.Equal(WriteStatus.Done, store.Set(Bytes($"{count++:D8}"), new byte[84]));
        for (int i = 0; i < count; i += 2)
            store.Remove(Bytes($"{i:D8}"));
        for (int i = 0; i < sweeps; i++)
        {
            store.Set(Bytes($"far{i}"), new byte[700], ExpiringAt(fixture.NowMs + 100_000_000));
            store.Set(Bytes($"due{i}"), ""u8, ExpiringAt(fixture.NowMs + 50));
            fixture.Clock.Advance(250);
        }

        Assert.Equal(WriteStatus.Done, store.Set("large"u8, new byte[1_000_000]));
    }

    [Theory]
    [InlineData(100, 1_000_000)]
    [InlineData(1000, 100_000)]
    public void Set_OfLargeValues_KeepsMostOfTheLimitInUse(int count, int length)
    {
        using var fixture = new StoreFixture();
        long least = long.MaxValue;
        for (int i = 0; i < count; i++)
        {
            Assert.Equal(WriteStatus.Done, fixture.Store.Set(Bytes($"{i}"), new byte[length]));
            if (i * (long)length > 15 << 20)
                least = Math.Min(least, fixture.Store.Count);
        }

        Assert.True(least > 0.7 * MemoryLimitBytes / length, $"{least} entries");
    }

    [Fact]
    public void Eviction_SwitchedOnInAFullStore_KeepsTheLimit()
    {
        using var fixture = Unevicted(MemoryLimitBytes);
        var store = fixture.Store;
        for (int i = 0; store.Set(Bytes($"{i:D8}"), ""u8) == WriteStatus.Done; i++)
            Assert.True(i < MemoryLimitBytes);
        store.ResetStatistics();
        store.Eviction = EvictionPolicy.AllEntries;

        for (int i = 0; i < 10_000; i++)
            Assert.Equal(WriteStatus.Done, store.Set(Bytes($"n{i:D7}"), ""u8));

        Assert.InRange(store.GetStatistics().MemoryPeakBytes, 1, MemoryLimitBytes + MemoryLimitBytes / 50);
    }

    // Blocks are large and their stubs small: one segment may hold all that can be evicted, while another thread writes
    // to it.
    [Fact]
    public async Task Set_OfLargeValuesByManyThreads_IsNotRefused()
    {
        const int Writes = 100_000;
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 4 << 20, ShardCount = 4 });
        int refused = 0;
        var writers = Enumerable.Range(0, 3).Select(id => Task.Factory.StartNew(
            () =>
            {
                byte[] value = new byte[60_000];
                for (int i = 0; i < Writes; i++)
                {
                    if (store.Set(Bytes($"{id}:{i % 1000}"), value) != WriteStatus.Done)
                        Interlocked.Increment(ref refused);
                }
            },
            TestContext.Current.CancellationToken, TaskCreationOptions.LongRunning, TaskScheduler.Default));

        await Task.WhenAll(writers);

        Assert.Equal(0, refused);
    }

    private static StoreFixture Unevicted(long limitBytes) => Limited(limitBytes, EvictionPolicy.None);

    private static StoreFixture Limited(long limitBytes, EvictionPolicy policy) => new(options =>
    {
        options.MemoryLimitBytes = limitBytes;
        options.ShardCount = 1;
        options.Eviction = policy;
    });

    // Each has pages that no key has yet, and none ends before another one gives its own back.
    [Theory]
    [InlineData(EvictionPolicy.ExpiringEntries)]
    [InlineData(EvictionPolicy.AllEntries)]
    public async Task StoreSets_OfManyThreadsWithoutRoomForAll_WaitForNoneOfThem(EvictionPolicy policy)
    {
        using var fixture = Limited(16 << 20, policy);
        var store = fixture.Store;
        for (int i = 0; i < 10_000; i++)
            Assert.Equal(WriteStatus.Done, store.SetOf("s"u8).Add(Bytes($"member {i:D80}")));

        var threads = Enumerable.Range(0, 12).Select(number => Task.Factory.StartNew(
            () => StoreUnions(store, Bytes($"d{number}")), TestContext.Current.CancellationToken,
            TaskCreationOptions.LongRunning, TaskScheduler.Default));
        await Task.WhenAll(threads).WaitAsync(_hangTime, TestContext.Current.CancellationToken);

        Assert.Equal(0, store.State.Reclaimer.UnprovenRefusals);
        store.AssertValid();
    }

    private static void StoreUnions(CacheStore store, byte[] key)
    {
        for (int i = 0; i < 5; i++)
        {
            var keys = new KeyArray("s"u8.ToArray());
            var status = store.StoreSets(SetCombination.Union, ref keys, key, out _);
            Assert.True(status is WriteStatus.Done or WriteStatus.OutOfMemory, $"{status}");
        }
    }
}
