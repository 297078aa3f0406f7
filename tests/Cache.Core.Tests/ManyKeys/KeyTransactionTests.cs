using System.Runtime.CompilerServices;
using Cache.Core.Layout;
using Cache.Core.ManyKeys;
using Cache.Core.Sharding;
using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.ManyKeys;

/// <summary>Slots and room of a transaction's writes, and what its own clear and others' do to them.</summary>
public sealed class KeyTransactionTests : IDisposable
{
    private const int Many = 2_000; // Their pages are locked as a whole.

    private static readonly byte[] _key = Bytes("key");

    private readonly StoreFixture _fixture = new(static options => options.ShardCount = 1);

    private CacheStore Store => _fixture.Store;

    private StoreState State => StateOf(Store);

    public void Dispose() => _fixture.Dispose();

    // The key had its slot when it was locked, and needs another one after the clear.
    [Fact]
    public void Clear_ThenAWriteToAFullPage_TakesTheSlotOfWhatWasCleared()
    {
        Store.Set(_key, "1"u8);
        FullPages.Fill(State, 1);
        long pages = State.Index.Count;

        KeyedTransaction.Run(Store, [_key], keyspaces: 1, writeCount: 1, static view =>
        {
            Assert.True(view.TryClear());
            Assert.Equal(WriteStatus.Done, view.Set(_key, "2"u8));
            Assert.Equal("2", Get(view, "key"));
        });

        Assert.Equal("2", _fixture.Get("key"));
        Assert.Equal((1, pages), (Store.Count, State.Index.Count));
    }

    // As above, but where the entry would spill to another thread works.
    [Fact]
    public void Clear_ThenAWriteToAFullHomeBesideAnotherThread_TakesTheSlotOfWhatWasCleared()
    {
        Store.Set(_key, "1"u8);
        ulong hash = State.HashOf(_key, 0);
        var home = State.Shards[0].HomeOf(hash);
        for (int i = 0; home.FindEmptySlot() != 0; i++)
        {
            if (HomeOf(Bytes($"other:{i}")).Equals(home))
                _fixture.Set($"other:{i}", "1");
        }

        var neighbour = home.Page.NeighbourOf(home);
        Assert.True(neighbour.TryLock(out uint version));
        try
        {
            KeyedTransaction.Run(Store, [_key], keyspaces: 1, writeCount: 1, static view =>
            {
                Assert.True(view.TryClear());
                Assert.Equal(WriteStatus.Done, view.Set(_key, "2"u8));
            });
        }
        finally
        {
            neighbour.Unlock(version, changed: false);
        }

        Assert.Equal("2", _fixture.Get("key"));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void Clear_ThenWritesOfManyKeysWhereNothingIsLeft_TakeTheSlotsOfWhatWasCleared(bool isOwnClear)
    {
        byte[][] keys = KeysOf(Many);
        foreach (byte[] key in keys)
            Store.Set(key, "1"u8);
        long pages = State.Index.Count;
        if (!isOwnClear)
            Store.Clear();

        KeyedTransaction.Run(Store, keys, keyspaces: 1, writeCount: Many, view =>
        {
            if (isOwnClear)
                view.Clear();
            Assert.All(keys, key => Assert.Equal(WriteStatus.Done, view.Set(key, "2"u8)));
        }, writtenBytes: isOwnClear ? 1_000_000 : 0); // Without room nothing is made ahead.

        Assert.Equal(Many, Store.Count);
        Assert.InRange(State.Index.Count, 1, pages * 3 / 2); // Beside what was cleared, each would have been split.
        Assert.All(keys, key => Assert.Equal("2"u8.ToArray(), Store.GetArray(key)));
    }

    // What the transaction has written itself is not cleared for it.
    [Fact]
    public void Write_AfterAnotherThreadsClear_KeepsWhatTheTransactionHasWritten()
    {
        byte[][] keys = KeysOf(Many);

        KeyedTransaction.Run(Store, keys, keyspaces: 1, writeCount: Many, view =>
        {
            foreach (byte[] key in keys.AsSpan(0, Many / 2))
                Assert.Equal(WriteStatus.Done, view.Set(key, "1"u8));
            Store.Clear();
            foreach (byte[] key in keys.AsSpan(Many / 2))
                Assert.Equal(WriteStatus.Done, view.Set(key, "1"u8));
            Assert.All(keys, key => Assert.Equal("1"u8.ToArray(), view.GetArray(key)));
        }, writtenBytes: 0); // Else slots for all are made ahead.

        Assert.Equal(0, Store.Count);
    }

    // Else a part of its writes would be before the other clear, and a part behind it.
    [Fact]
    public void Clear_AfterAnotherThreadHasClearedAnotherKeyspace_LeavesTheTransactionWhole()
    {
        byte[] other = Bytes("other");
        var second = Store.SelectKeyspace(1);
        KeyedTransaction.Run(Store, [_key, other], keyspaces: 2, writeCount: 4, view =>
        {
            var inSecond = view.SelectKeyspace(1);
            inSecond.Set(_key, "1"u8);
            second.Clear();
            Assert.True(view.TryClear());
            view.Set(_key, "2"u8);
            Assert.Equal("1", Get(inSecond, "key"));
            inSecond.Set(other, "2"u8);
        });

        Assert.Equal("2", _fixture.Get("key"));
        Assert.Equal(0, second.Count);
        Assert.Null(second.GetArray(_key));
        Assert.Null(second.GetArray(other));
    }

    [Fact]
    public void Clear_InTransactionsOneAfterTheOther_FindsGenerations()
    {
        for (int i = 0; i < 100; i++)
        {
            KeyedTransaction.Run(Store, [_key], keyspaces: 1, writeCount: 1, static view =>
            {
                view.Clear();
                view.Set(_key, "2"u8);
            });
        }

        Assert.Equal(1, Store.Count);
    }

    // Records have headers and slots, which nobody counts who writes them.
    [Fact]
    public void Transact_OfManySmallKeysInAFullStore_HasRoomForAll()
    {
        for (int i = 0; i < 300_000; i++)
            Store.Set(BitConverter.GetBytes(i), new byte[30]);
        byte[][] keys = KeysOf(20_000);
        long bytes = keys.Sum(static key => key.Length + 1L);
        var budget = State.Budget;

        KeyedTransaction.Run(
            Store, keys, keyspaces: 1, writeCount: keys.Length,
            view =>
            {
                long taken = TakeAll(Store);
                Assert.All(keys, key => Assert.Equal(WriteStatus.Done, view.Set(key, "2"u8)));
                budget.Add(-taken);
            },
            bytes);
    }

    // In so small a store, each page is more than half of what is reserved without a look at the pages.
    [Fact]
    public void Transact_OfKeysWhosePagesAreAllFull_HasRoomForAll()
    {
        const int pages = 8;
        using var fixture = new StoreFixture(static options =>
        {
            options.ShardCount = 1;
            options.MemoryLimitBytes = 1 << 20;
        });
        var store = fixture.Store;
        FullPages.Fill(StateOf(store), pages);
        byte[][] keys = KeysOf(8 * pages);

        KeyedTransaction.Run(
            store, keys, keyspaces: 1, writeCount: keys.Length,
            view =>
            {
                long taken = TakeAll(store);
                Assert.All(keys, key => Assert.Equal(WriteStatus.Done, view.Set(key, "2"u8)));
                StateOf(store).Budget.Add(-taken);
            },
            keys.Sum(static key => key.Length + 1L));

        Assert.Equal(pages * IndexPage.SlotCount + keys.Length, store.Count);
    }

    [Fact]
    public void TryMake_UnderExclusiveLocksOfAPageThatWasCleared_SplitsNone()
    {
        FullPages.Fill(State, 1);
        Store.Clear();
        ulong[] hashes = [.. KeysOf(100).Select(key => State.HashOf(key, 0)).Order()];
        var locks = new KeyLocks();
        locks.Enter(State, hashes, isExclusive: true);

        Assert.True(NewSlots.TryMake(State, hashes, locks));

        locks.Exit();
        Assert.Equal(1, State.Index.Count);
        Assert.Equal(0, Store.IndexedCount);
    }

    // It has not looked at the directory again; as it does so, it leaves.
    [Fact]
    public void TryMake_BesideAThreadThatIsLateInAFormerPage_SplitsIntoIt()
    {
        Assert.True(State.Index.TryAllocate(out uint number, out uint version));
        State.Index.Return(number, version);
        var bucket = State.Index.Pages[number][3];
        uint late = bucket.Lock();
        int waits = 0;
        RoomSteps.Observe(step =>
        {
            if (step == RoomStep.WaitsForBucket && ++waits == 2)
                bucket.Unlock(late, changed: false);
        });
        ulong[] hashes = [.. KeysOf(Many).Select(key => State.HashOf(key, 0)).Order()];
        var locks = new KeyLocks();
        locks.Enter(State, hashes, isExclusive: true);
        try
        {
            Assert.True(NewSlots.TryMake(State, hashes, locks));
        }
        finally
        {
            RoomSteps.Observe(null);
            locks.Exit();
        }
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_state")]
    private static extern ref StoreState StateOf(CacheStore store);

    private static byte[][] KeysOf(int count) => [.. Enumerable.Range(0, count).Select(static i => Bytes($"key:{i}"))];

    private Bucket HomeOf(byte[] key) => State.Shards[0].HomeOf(State.HashOf(key, 0));

    /// <summary>Takes what is free of the budget, as other threads may.</summary>
    private static long TakeAll(CacheStore store)
    {
        long taken = 0;
        for (long bytes = MemoryLimitBytes; bytes != 0;)
        {
            if (StateOf(store).Budget.TryTake(bytes, spareBytes: 0))
                taken += bytes;
            else
                bytes /= 2;
        }

        return taken;
    }
}
