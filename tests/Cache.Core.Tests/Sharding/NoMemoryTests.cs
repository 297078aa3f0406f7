using Cache.Core.Hashing;
using Cache.Core.Layout;
using Cache.Core.ManyKeys;
using Cache.Core.Operations;
using Cache.Core.Sharding;
using Cache.Core.Validation;
using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Sharding;

/// <summary>Values that there is room for, while the system has no memory for their blocks.</summary>
public sealed class NoMemoryTests
{
    private const int Large = 100_000;
    private const int Fillers = 2_000; // More than the active segments hold.

    private static readonly byte[] _key = "key"u8.ToArray();
    private static readonly byte[] _other = "other"u8.ToArray();
    private static readonly byte[] _small = [1, 2, 3, 4, 5, 6, 7, 8];

    [Fact]
    public void SetRange_WithoutMemoryForTheBlock_IsRefused()
    {
        using var state = Create();
        var key = state.KeyOf(_key, 0);
        Assert.Equal(WriteStatus.Done, EntryWriter.Set(state, key, new byte[10], default));
        state.Heap.Close();

        var status = RangeWriter.SetRange(state, key, 0, new byte[Large], atEnd: true, out int length);

        Assert.Equal(WriteStatus.OutOfMemory, status);
        Assert.Equal(10, length);
        Assert.Equal(WriteStatus.OutOfMemory, EntryWriter.Set(state, key, new byte[Large], default));
        Assert.Equal(0, state.BlockBytes);
        StoreValidator.Validate(state);
    }

    [Fact]
    public void SetRange_WithoutMemoryWhileTheStoreIsDisposed_LeavesNoBucketLocked()
    {
        using var state = Create();
        var shard = state.Shards[0];
        byte[] name = Enumerable.Range(0, 100).Select(BitConverter.GetBytes).First(
            bytes => HomeOf(bytes).IndexInPage > 1);
        Assert.Equal(WriteStatus.Done, EntryWriter.Set(state, state.KeyOf(name, 0), new byte[10], default));
        var home = HomeOf(name);
        var first = home.Page[0]; // The disposal waits for it, so that the key still can be written.
        uint firstVersion = first.Lock();
        state.Dispose();
        state.Heap.Close();

        Assert.Throws<ObjectDisposedException>(Append);

        Assert.Equal(0u, home.ReadVersion() & 1);
        first.Unlock(firstVersion, changed: false);

        void Append()
        {
            RangeWriter.SetRange(state, state.KeyOf(name, 0), 0, new byte[Large], atEnd: true, out _);
            state.ThrowIfDisposed(); // As each door does where there was no room.
        }

        Bucket HomeOf(byte[] bytes)
        {
            var bucket = shard.LockHome(state.KeyOf(bytes, 0).Hash, out uint version);
            bucket.Unlock(version, changed: false);
            return bucket;
        }
    }

    // What is to be noted in the course of each: the first loan of SetRange; the copy of an expiry, behind the loan of
    // the value that is handed out.
    [Theory]
    [InlineData(nameof(SetLongRange), 1)]
    [InlineData(nameof(Expire), 1)]
    [InlineData(nameof(GetAndExpire), 2)]
    [InlineData(nameof(Copy), 1)]
    public void Write_WithoutMemoryToNoteAShare_LeavesNothingLockedAndNothingChanged(string write, int notes)
    {
        using var state = Create();
        var shard = state.Shards[0];
        Assert.Equal(WriteStatus.Done, EntryWriter.Set(state, state.KeyOf(_key, 0), new byte[Large], default));
        Assert.Equal(WriteStatus.Done, EntryWriter.Set(state, state.KeyOf(_other, 0), _small, default));
        RoomSteps.Observe(step =>
        {
            if (step == RoomStep.ShareIsNoted && --notes == 0)
                throw new OutOfMemoryException();
        });
        try
        {
            Assert.Throws<OutOfMemoryException>(() => Run(state, write));
        }
        finally
        {
            RoomSteps.Observe(null);
        }

        Assert.False(IsLocked(state, _key) || IsLocked(state, _other));
        Assert.Equal(0, state.Shares.LentBytes);
        Assert.Equal(0, state.Shares.DuplicateBytes);
        var sink = default(ArraySink);
        Assert.Equal(ReadStatus.Found, shard.Read(state.KeyOf(_other, 0), touch: false, ref sink, out _));
        Assert.Equal(_small, sink.Array);
        Assert.Equal(WriteStatus.Done, Run(state, write));
        for (int i = 0; i < Fillers; i++) // The segments are sealed: what was staged in vain must be counted there.
        {
            long expiresAtMs = i % 2 * (state.Clock.NowMs + 1000);
            var filler = state.KeyOf(BitConverter.GetBytes(i), 0);
            Assert.Equal(WriteStatus.Done, EntryWriter.Set(state, filler, new byte[1000], ExpiringAt(expiresAtMs)));
        }

        StoreValidator.Validate(state);
    }

    // The lock set of a thread is used again by its next operation.
    [Fact]
    public void Enter_WithoutMemoryForTheMarks_LeavesNothingLockedAndTheLocksAsTheyWere()
    {
        using var state = Create();
        var locks = new KeyLocks();
        ulong[] hashes = [state.HashOf(_key, 0), state.HashOf(_other, 0)];

        WithoutMemory(() => locks.Enter(state, hashes, isExclusive: false));

        Assert.False(IsLocked(state, _key) || IsLocked(state, _other));
        locks.Enter(state, hashes, isExclusive: false);
        Assert.True(IsLocked(state, _key) && IsLocked(state, _other));
        locks.Exit();
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Split_WithoutMemoryForTheDirectory_TakesNothing(bool isHeld)
    {
        using var state = Create();
        ulong[] hashes = [.. Enumerable.Range(0, 1000).Select(i => state.HashOf(BitConverter.GetBytes(i), 0))];
        var locks = new KeyLocks();
        locks.Enter(state, hashes, isExclusive: true); // Its marks are made.
        if (!isHeld)
            locks.Exit();
        long pages = state.Index.Count;
        long bytes = state.Budget.UsedBytes;

        WithoutMemory(() => NewSlots.TryMake(state, hashes, isHeld ? locks : null));

        Assert.Equal((pages, bytes), (state.Index.Count, state.Budget.UsedBytes));
        Assert.True(NewSlots.TryMake(state, hashes, isHeld ? locks : null));
        locks.Exit();
        StoreValidator.Validate(state);
        Assert.Equal(WriteStatus.Done, EntryWriter.Set(state, state.KeyOf(_key, 0), _small, default));
    }

    /// <summary>Runs what meets the end of the memory at its next step that needs some.</summary>
    private static void WithoutMemory(Action action)
    {
        RoomSteps.Observe(static step =>
        {
            if (step == RoomStep.MemoryIsTaken)
                throw new OutOfMemoryException();
        });
        try
        {
            Assert.Throws<OutOfMemoryException>(action);
        }
        finally
        {
            RoomSteps.Observe(null);
        }
    }

    private static WriteStatus Run(StoreState state, string write) => write switch
    {
        nameof(SetLongRange) => SetLongRange(state),
        nameof(Expire) => Expire(state),
        nameof(GetAndExpire) => GetAndExpire(state),
        _ => Copy(state),
    };

    private static WriteStatus SetLongRange(StoreState state) =>
        RangeWriter.SetRange(state, state.KeyOf(_key, 0), 0, new byte[Large * 2], atEnd: true, out _);

    private static WriteStatus Expire(StoreState state) =>
        EntryTaker.Expire(state, state.KeyOf(_key, 0), state.Clock.NowMs + 1000, ExpireConditions.None);

    private static WriteStatus GetAndExpire(StoreState state)
    {
        var sink = default(ArraySink);
        EntryTaker.TryGetAndExpire(state, state.KeyOf(_key, 0), state.Clock.NowMs + 1000, ref sink, out var status);
        return status;
    }

    // Where the other's value fits the record of the present one, it is written over it.
    private static WriteStatus Copy(StoreState state) => EntryCopier.Copy(
        state, state.KeyOf(_key, 0), state.KeyOf(_other, 0), SetCondition.Always, removeSource: false);

    private static bool IsLocked(StoreState state, byte[] name)
    {
        ulong number = state.Shards[0].HomeNumberOf(state.KeyOf(name, 0).Hash);
        var page = state.Index.Pages[(uint)(number / IndexPage.BucketCount)];
        return (page[(int)(number % IndexPage.BucketCount)].ReadVersion() & 1) != 0;
    }

    private static StoreState Create() => new(
        new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = 1 }, new FakeTimeProvider(),
        KeyedHash.CreateRandom());
}
