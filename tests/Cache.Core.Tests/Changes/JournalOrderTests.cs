using System.Runtime.CompilerServices;
using Cache.Core.Changes;
using Cache.Core.Layout;
using Cache.Core.Sharding;
using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Changes;

/// <summary>When a journal is asked for room, and what it is told then.</summary>
public sealed class JournalOrderTests : IDisposable
{
    private static readonly byte[] _key = Bytes("key");
    private static readonly byte[] _other = Bytes("other");
    private static readonly byte[] _absent = Bytes("absent");
    private static readonly byte[] _long = Bytes("long");
    private static readonly byte[][] _keys = [_key, _other, _long, _absent];

    private static readonly Dictionary<string, Action<CacheStore>> _writes = new()
    {
        ["SetInPlace"] = store => store.Set(_key, Bytes("98765")),
        ["SetLonger"] = store => store.Set(_key, new byte[500]),
        ["SetNew"] = store => store.Set(_absent, Bytes("1")),
        ["SetExpiring"] = store => store.Set(_key, Bytes("1"), ExpiringAt(store.NowMs + 10)),
        ["SetExpired"] = store => store.Set(_key, Bytes("1"), ExpiringAt(1)),
        ["SetLong"] = store => store.Set(_key, new byte[100_000]),
        ["SetIfUnchanged"] = store =>
        {
            store.TryPeekInfo(_key, out var info);
            store.SetIfUnchanged(_key, Bytes("2"), default, info.Version);
        },
        ["Increment"] = store => store.Increment(_key, 7, out _),
        ["Append"] = store => store.Append(_key, Bytes("77"), out _),
        ["AppendToNothing"] = store => store.Append(_absent, Bytes("77"), out _),
        ["SetRange"] = store => store.SetRange(_key, 50, Bytes("77"), out _),
        ["SetRangeInBlock"] = store => store.SetRange(_long, 50, Bytes("77"), out _),
        ["AppendLong"] = store => store.Append(_long, new byte[300_000], out _),
        ["ChangeBits"] = store => store.ChangeBits(_key, [Step(3)]),
        ["ChangeBitsInBlock"] = store => store.ChangeBits(_long, [Step(800_000)]),
        ["ChangeBitsFarBehind"] = store => store.ChangeBits(_long, [Step(8_000_000)]),
        ["Expire"] = store => store.Expire(_key, store.NowMs + 10, ExpireConditions.None),
        ["ExpireLong"] = store => store.Expire(_long, store.NowMs + 10, ExpireConditions.None),
        ["ExpireNow"] = store => store.Expire(_key, 1, ExpireConditions.None),
        ["Persist"] = store => store.Persist(_other),
        ["Remove"] = store => store.Remove(_key),
        ["RemoveNothing"] = store => store.Remove(_absent),
        ["TryRemove"] = store => Take(store, _key),
        ["TryRemoveNothing"] = store => Take(store, _absent),
        ["SetMany"] = store => SetMany(store, (_key, Bytes("3")), (_long, Bytes("4"))),
        ["SetManyInPlace"] = store => SetMany(store, (_key, Bytes("3")), (_other, Bytes("4"))),
        ["SetManyNew"] = store => SetMany(store, (_absent, Bytes("3")), (_key, Bytes("4"))),
        ["SetManyOfOne"] = store => SetMany(store, (_key, Bytes("3"))),
        ["SetManyOfMany"] = store => SetMany(store, [.. Enumerable.Repeat((_key, Bytes("3")), 100)]),
        ["SetManyOfManyNew"] = store => SetMany(
            store,
            [(_key, Bytes("3")), (_absent, Bytes("4")), .. Enumerable.Range(0, 98).Select(i => (Bytes($"{i}"), _key))]),
        ["Rename"] = store => store.Rename(_key, _other, SetCondition.Always),
        ["RenameLong"] = store => store.Rename(_long, _absent, SetCondition.Always),
        ["Copy"] = store => store.Copy(_key, store, _other, SetCondition.Always),
        ["Move"] = store => store.Move(_key, store.SelectKeyspace(1)),
        ["Transact"] = store => KeyedTransaction.Run(store, [_key, _other, _long, _absent], 1, 6, view =>
        {
            view.Set(_key, Bytes("1"));
            view.Rename(_key, _absent, SetCondition.Always);
            view.Append(_long, new byte[100], out _);
            view.Remove(_other);
            view.Copy(_long, view, _other, SetCondition.Always);
        }),
    };

    private readonly StoreFixture _fixture = new();
    private readonly RecordingJournal _journal = new();

    public JournalOrderTests()
    {
        Store.Attach(_journal);
        Store.Set(_key, Bytes("12345"));
        Store.Set(_other, Bytes("123"), ExpiringAt(Store.NowMs + 1_000));
        Store.Set(_long, new byte[200_000]);
    }

    public static TheoryData<string> Writes => [.. _writes.Keys];

    private CacheStore Store => _fixture.Store;

    public void Dispose() => _fixture.Dispose();

    [Theory]
    [MemberData(nameof(Writes))]
    public void Write_WithoutRoom_HasChangedNothingAndReservesUnderTheLock(string write)
    {
        var before = ContentOf(Store);
        int attempts = 0;
        int waits = 0;
        _journal.HasRoom = () => ++attempts > 3;
        _journal.Reserving = () => Assert.True(IsAnyLocked());
        _journal.Waiting = () =>
        {
            waits++;
            Assert.False(IsAnyLocked());
            Assert.Equal(before, ContentOf(Store));
        };

        _writes[write](Store);

        Assert.InRange(waits, 1, 3);
        Assert.NotEqual(3, _journal.Changes.Count); // The three of the constructor, and more.
        new ReplayedStore(_journal.Changes).AssertIsOf(Store, mayHaveEvicted: false);
    }

    // What a killed process had reserved and not completed is passed over: nothing later may rest on it.
    [Theory]
    [MemberData(nameof(Writes))]
    public void Write_IsCompletedBeforeItsKeysAreUnlocked(string write)
    {
        int completed = 0;
        _journal.Completing = () =>
        {
            completed++;
            Assert.True(IsAnyChanging());
        };

        _writes[write](Store);

        Assert.NotEqual(0, completed);
    }

    // The same of a clear: a write of the next generation rests on it.
    [Theory]
    [InlineData("Clear")]
    [InlineData("ClearAll")]
    [InlineData("Transact")]
    public void Clear_IsCompletedBeforeTheNextGenerationBegins(string clear)
    {
        var generations = StateOf(Store).Generations;
        ulong word = generations.Word;
        int completed = 0;
        _journal.Completing = () =>
        {
            completed++;
            Assert.Equal(0U, generations.ChangedSince(1, word));
        };

        if (clear == "Transact")
            KeyedTransaction.Run(Store, [_key], 1, 0, view => view.Clear());
        else if (clear == "ClearAll")
            Store.ClearAll();
        else
            Store.Clear();

        Assert.Equal(1, completed);
        Assert.Equal(1U, generations.ChangedSince(1, word));
        new ReplayedStore(_journal.Changes).AssertIsOf(Store, mayHaveEvicted: false);
    }

    [Theory]
    [InlineData("SetManyInPlace", 2)]
    [InlineData("SetManyNew", 2)]
    [InlineData("Rename", 2)]
    [InlineData("Move", 2)]
    [InlineData("Copy", 1)]
    [InlineData("Transact", 6)]
    public void WriteOfSeveralKeys_IsOneReservation(string write, int records)
    {
        _writes[write](Store);

        Assert.Equal([1, 1, 1, records], _journal.GroupSizes);
    }

    // Else who ends a journal would wait for it for ever, or have a part of what belongs together.
    [Theory]
    [MemberData(nameof(Writes))]
    public void Write_WhoseJournalIsDetachedMeanwhile_WritesAllThatItReserved(string write)
    {
        _journal.Reserved = () => Store.Detach(_journal);

        _writes[write](Store);

        new ReplayedStore(_journal.Changes).AssertIsOf(Store, mayHaveEvicted: false);
    }

    [Fact]
    public void Read_TellsNothing()
    {
        Store.Set(_key, Bytes("1"), Sliding(1_000));
        _fixture.Clock.Advance(500);
        Assert.Equal(Bytes("1"), Store.GetArray(_key));
        _fixture.Clock.Advance(10_000);
        Assert.Null(Store.GetArray(_key));

        Assert.Equal(4, _journal.Changes.Count);
    }

    // Else an entry that was evicted would be there again after a restart.
    [Theory]
    [InlineData("RemoveNothing")]
    [InlineData("TryRemoveNothing")]
    public void Remove_OfNothing_IsTold(string write)
    {
        _writes[write](Store);

        Assert.Equal(ChangeKind.Remove, _journal.Changes[^1].Record.Kind);
        Assert.Equal(Convert.ToHexString(_absent), _journal.Changes[^1].Key);
    }

    [Fact]
    public void ClearAll_IsOneReservationOfEachKeyspace()
    {
        Store.ClearAll();

        Assert.Equal([1, 1, 1, Store.KeyspaceCount], _journal.GroupSizes);
    }

    // The writer knows the generation from before, and reserves after the clear.
    [Theory]
    [InlineData("SetInPlace")]
    [InlineData("SetNew")]
    [InlineData("Rename")]
    [InlineData("SetManyNew")]
    [InlineData("Transact")]
    public void Write_WhileTheKeyspaceIsCleared_IsInTheOrderOfTheStore(string write)
    {
        int reservations = 0;
        _journal.Reserving = () =>
        {
            if (reservations++ == 0)
                Run(Store.Clear);
        };
        _writes[write](Store);
        _journal.Reserving = null;

        new ReplayedStore(_journal.Changes).AssertIsOf(Store, mayHaveEvicted: false);
    }

    // Each attempt finds that one of its keyspaces has been cleared meanwhile; at last it keeps clears waiting.
    [Fact]
    public void Transact_BesideClearsThatComeEachTime_EndsAfterItsAttempts()
    {
        const int clearsMax = 100; // Each keyspace has a few generations, as long as nothing is freed.
        var clears = new List<Thread>();
        int own = Environment.CurrentManagedThreadId;
        _journal.Reserving = () =>
        {
            if (Environment.CurrentManagedThreadId != own || clears.Count == clearsMax)
                return;
            int keyspace = clears.Count % Store.KeyspaceCount;
            var clear = new Thread(() => Store.SelectKeyspace(keyspace).Clear());
            clears.Add(clear);
            clear.Start();
            SpinWait.SpinUntil(() => (clear.ThreadState & (ThreadState.WaitSleepJoin | ThreadState.Stopped)) != 0);
        };
        KeyedTransaction.Run(Store, [_key], Store.KeyspaceCount, 1, view => view.Set(_key, []));
        _journal.Reserving = null;
        clears.ForEach(static clear => clear.Join());

        Assert.Equal(KeyLocks.AttemptsMax + 1, clears.Count);
        new ReplayedStore(_journal.Changes).AssertIsOf(Store, mayHaveEvicted: false);
    }

    // The clear has reserved, and has not begun the next generation.
    [Theory]
    [InlineData("SetInPlace")]
    [InlineData("SetNew")]
    [InlineData("SetManyInPlace")]
    [InlineData("SetManyNew")]
    [InlineData("SetManyOfOne")]
    [InlineData("SetManyOfMany")]
    [InlineData("Rename")]
    [InlineData("Transact")]
    public async Task Clear_WhileAKeyIsWritten_IsInTheOrderOfTheStore(string write)
    {
        int reservations = 0;
        var task = Task.CompletedTask;
        _journal.Reserved = () =>
        {
            if (Interlocked.Increment(ref reservations) != 1)
                return;
            task = Task.Run(() => _writes[write](Store));
            SpinWait.SpinUntil(() => task.IsCompleted || Volatile.Read(ref reservations) > 2);
        };
        Store.Clear();
        await task;

        new ReplayedStore(_journal.Changes).AssertIsOf(Store, mayHaveEvicted: false);
    }

    [Fact]
    public void Transact_OfAClear_IsInTheOrderOfTheStore()
    {
        KeyedTransaction.Run(Store, [_key, _other], 1, 3, view =>
        {
            view.Set(_key, Bytes("8"));
            view.Clear();
            view.Set(_other, Bytes("9"));
        });

        Assert.Equal([1, 1, 1, 1, 1, 1], _journal.GroupSizes);
        new ReplayedStore(_journal.Changes).AssertIsOf(Store, mayHaveEvicted: false);
    }

    // Its part before its own clear is before the other one: so must be the rest of it.
    [Fact]
    public void Transact_OfAClearAfterAnotherKeyspacesClear_IsInTheOrderOfTheStore()
    {
        KeyedTransaction.Run(Store, [_key, _other], 2, 10, view =>
        {
            var second = view.SelectKeyspace(1);
            second.Set(_key, Bytes("8"));
            Store.SelectKeyspace(1).Clear();
            view.Clear();
            view.Set(_key, Bytes("9"));
            second.Set(_other, new byte[100_000]);
            second.Move(_other, view);
            second.Remove(_key);
            view.Move(_key, second);
        });

        Assert.Equal((1, 0), (Store.Count, Store.SelectKeyspace(1).Count));
        new ReplayedStore(_journal.Changes).AssertIsOf(Store, mayHaveEvicted: false);
    }

    // The transaction cannot wait for room with its keys locked.
    [Fact]
    public void Transact_OfMoreWritesThanItSaid_RefusesThem()
    {
        KeyedTransaction.Run(Store, [_key, _other], 1, 2, view =>
        {
            Assert.Equal(WriteStatus.Done, view.Set(_key, Bytes("8")));
            Assert.Equal(WriteStatus.OutOfMemory, view.Rename(_key, _other, SetCondition.Always));
            Assert.Equal(WriteStatus.Done, view.Set(_other, Bytes("9")));
            Assert.Equal(WriteStatus.OutOfMemory, view.Set(_other, Bytes("7")));
        });

        Assert.Equal(Bytes("8"), Store.GetArray(_key));
        Assert.Equal([1, 1, 1, 2], _journal.GroupSizes);
        new ReplayedStore(_journal.Changes).AssertIsOf(Store, mayHaveEvicted: false);
    }

    [Fact]
    public void Transact_WhoseJournalIsFullAfterAClear_RefusesWhatFollows()
    {
        int reservations = 0;
        _journal.HasRoom = () => ++reservations < 3;
        KeyedTransaction.Run(Store, [_key, _other], 1, 3, view =>
        {
            Assert.True(view.TryClear());
            Assert.Equal(WriteStatus.OutOfMemory, view.Set(_key, Bytes("8")));
            Assert.False(view.TryClear());
        });

        Assert.Equal([1, 1, 1, 1], _journal.GroupSizes);
        new ReplayedStore(_journal.Changes).AssertIsOf(Store, mayHaveEvicted: false);
    }

    [Fact]
    public void Transact_ThatOnlyReads_ReservesNothing()
    {
        _journal.HasRoom = () => false;

        KeyedTransaction.Run(Store, [_key], 1, 0, view =>
        {
            Assert.Equal(Bytes("12345"), view.GetArray(_key));
            Assert.Equal(WriteStatus.OutOfMemory, view.Set(_key, Bytes("8")));
        });

        Assert.Equal(3, _journal.Changes.Count);
    }

    [Fact]
    public void Attach_Second_Throws()
    {
        Assert.Throws<InvalidOperationException>(() => Store.Attach(new RecordingJournal()));
        Store.Detach(_journal);
        Store.Set(_key, Bytes("5"));

        Assert.Equal(3, _journal.Changes.Count);
    }

    // Else what is read of the store afterwards, for the beginning of the journal, goes without being told.
    [Fact]
    public void Attach_BesideAClearThatKnowsNoJournal_ReturnsAfterIt()
    {
        Store.Detach(_journal);
        bool isClearing = true;
        bool wasClearing = true;
        var attaching = new Thread(() =>
        {
            Store.Attach(new RecordingJournal());
            wasClearing = Volatile.Read(ref isClearing);
        });
        lock (StateOf(Store).ClearGate)
        {
            attaching.Start();
            SpinWait.SpinUntil(() => (attaching.ThreadState & (ThreadState.WaitSleepJoin | ThreadState.Stopped)) != 0);
            Volatile.Write(ref isClearing, false);
        }

        attaching.Join();
        Assert.False(wasClearing);
    }

    [Fact]
    public void WaitForRoom_ThatThrows_LeavesTheStoreAsItWas()
    {
        var before = ContentOf(Store);
        _journal.HasRoom = () => false;
        _journal.Waiting = () => throw new IOException();
        foreach (var write in _writes.Values)
            Assert.Throws<IOException>(() => write(Store));

        Assert.Throws<IOException>(Store.Clear);
        Assert.Equal(before, ContentOf(Store));
    }

    private static void Run(Action action)
    {
        var thread = new Thread(() => action());
        thread.Start();
        thread.Join();
    }

    private static BitFieldStep Step(long offset) =>
        new() { Action = BitFieldAction.Set, Width = 5, Offset = offset, Value = 9 };

    private static void Take(CacheStore store, byte[] key)
    {
        var sink = default(ArraySink);
        store.TryRemove(key, ref sink);
    }

    private static void SetMany(CacheStore store, params (byte[] Key, byte[] Value)[] entries)
    {
        var array = new EntryArray(entries);
        Assert.Equal(WriteStatus.Done, store.SetMany(ref array, SetCondition.Always));
    }

    private static string ContentOf(CacheStore store)
    {
        return string.Join(';', _keys.Select(key =>
        {
            store.TryPeekInfo(key, out var info);
            return $"{info.ExpiresAtMs}:{Convert.ToHexString(store.GetArray(key) ?? [])}";
        }));
    }

    private bool IsAnyLocked() => _keys.Any(key => Bucket.IsHeld(HomeOf(key).ReadVersion()));

    // Others do not even read there.
    private bool IsAnyChanging() => _keys.Any(key => HomeOf(key).IsChanging);

    private Bucket HomeOf(byte[] key)
    {
        ulong hash = StateOf(Store).HashOf(key, 0);
        ulong number = StateOf(Store).ShardOf(hash).HomeNumberOf(hash);
        var page = StateOf(Store).Index.Pages[(uint)(number / IndexPage.BucketCount)];
        return page[(int)(number % IndexPage.BucketCount)];
    }

    [UnsafeAccessor(UnsafeAccessorKind.Field, Name = "_state")]
    private static extern ref StoreState StateOf(CacheStore store);
}
