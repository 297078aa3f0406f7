using System.Diagnostics;
using Cache.Core.Hashing;
using Cache.Core.Layout;
using Cache.Core.Operations;
using Cache.Core.Sharding;
using Cache.Core.Validation;

namespace Cache.Core.Tests.Sharding;

/// <summary>A bucket that another thread holds for long is waited for, and is no want of memory.</summary>
public sealed class ContentionTests : IDisposable
{
    // At a microsecond or less for each vain attempt, many more than any bound on attempts was.
    private static readonly TimeSpan _held = TimeSpan.FromSeconds(1);

    private readonly StoreState _state = new(
        new CacheOptions { MemoryLimitBytes = 1 << 20, ShardCount = 1, Eviction = EvictionPolicy.None },
        new Cache.Testing.FakeTimeProvider(), KeyedHash.CreateRandom());

    public void Dispose()
    {
        StoreValidator.Validate(_state);
        _state.Dispose();
    }

    [Fact]
    public void Set_NeighbourHeldForLong_WaitsAndThenFindsRoom()
    {
        var shard = _state.Shards[0];
        byte[] key = FillHomeOf(shard, out var neighbour);
        _state.Log.SealActive(); // What comes next needs a segment: after the wait, not only a slot.
        uint version = neighbour.Lock();
        var status = WriteStatus.NotFound;
        var writer = new Thread(() => status = EntryWriter.Set(_state, _state.KeyOf(key, 0), new byte[100], default));
        writer.Start();
        for (long start = Stopwatch.GetTimestamp(); Stopwatch.GetElapsedTime(start) < _held;)
            Thread.Yield();
        neighbour.Unlock(version, changed: false);
        writer.Join();

        Assert.Equal(WriteStatus.Done, status);
    }

    [Fact]
    public void TryOvercome_ContentionAnyNumberOfTimes_LeavesTheAttemptsToMakeRoom()
    {
        var shard = _state.Shards[0];
        var key = _state.KeyOf("key"u8, 0);
        var entry = default(EntryLock);
        var status = WriteStatus.Done;
        for (int i = 0; i < 10_000; i++)
        {
            entry.Fail(Obstacle.Contention);
            Assert.True(shard.TryOvercome(key, ref entry, ref status));
            Shard.ResetLock(ref entry);
        }

        Assert.Equal(0, entry.RoomAttempts);
        Assert.Equal(WriteStatus.Done, status);
    }

    // Nothing of it can be lost before the next attempt.
    [Fact]
    public void TryOvercome_OfASegmentsRoom_HasTheRecordAllocatedAhead()
    {
        const int Size = 104;
        var shard = _state.Shards[0];
        var key = _state.KeyOf("key"u8, 0);
        var entry = default(EntryLock);
        entry.Fail(Obstacle.NoSegmentRoom);
        entry.BytesWanted = Size;
        var status = WriteStatus.Done;

        Assert.True(shard.TryOvercome(key, ref entry, ref status));
        Shard.ResetLock(ref entry);

        Assert.Equal(Size, entry.AheadRecord.Header.RecordSize);
        shard.EndWrite(key, ref entry);
        Assert.True(entry.AheadRecord.IsNull);
    }

    // Several keys take their room in parts, so that it may be lost.
    [Fact]
    public void TryOvercome_RoomOfSeveralKeysThatIsAlwaysLost_EndsWithOutOfMemory()
    {
        var shard = _state.Shards[0];
        var key = _state.KeyOf("key"u8, 0);
        var entry = default(EntryLock);
        var status = WriteStatus.Done;
        int attempts = 0;
        do
        {
            Shard.ResetLock(ref entry);
            entry.Set = KeyLocks.Rent();
            entry.Fail(Obstacle.NoSegmentRoom);
            entry.BytesWanted = 104;
        }
        while (shard.TryOvercome(key, ref entry, ref status) && ++attempts < 100_000);

        Assert.InRange(attempts, 100, 10_000);
        Assert.Equal(WriteStatus.OutOfMemory, status);
    }

    // Who was in vain too often locks the whole page, which an ended store does not let it: the lock is nobody's then.
    [Fact]
    public void Lock_WholePageOfADisposedStore_ThrowsAndHoldsNothing()
    {
        using var state = new StoreState(
            new CacheOptions { MemoryLimitBytes = 1 << 20, ShardCount = 1 },
            new Cache.Testing.FakeTimeProvider(), KeyedHash.CreateRandom());
        var key = state.KeyOf("key"u8, 0);
        var entry = new EntryLock { Contentions = int.MaxValue };
        state.Dispose();

        bool hasThrown = false;
        try
        {
            state.Shards[0].Lock(key, ref entry);
        }
        catch (ObjectDisposedException)
        {
            hasThrown = true;
        }

        Assert.True(hasThrown);
        Assert.False(entry.OwnsSet);
        Assert.Null(entry.Set);
        state.Shards[0].EndWrite(key, ref entry);
    }

    /// <summary>Fills the home of a key that is not there yet: it will have to go to the next bucket.</summary>
    private byte[] FillHomeOf(Shard shard, out Bucket neighbour)
    {
        var home = shard.HomeOf(_state.KeyOf(BitConverter.GetBytes(0), 0).Hash);
        neighbour = home.Page.NeighbourOf(home);
        for (int i = 0; ; i++)
        {
            byte[] bytes = BitConverter.GetBytes(i);
            var key = _state.KeyOf(bytes, 0);
            if (!shard.HomeOf(key.Hash).Equals(home))
                continue;
            if (home.FindEmptySlot() == 0)
                return bytes;
            Assert.Equal(WriteStatus.Done, EntryWriter.Set(_state, key, "value"u8, default));
        }
    }
}
