using Cache.Core.Changes;
using Cache.Core.Collections;
using Cache.Core.Collections.Hashes;
using Cache.Core.Collections.Objects;
using Cache.Core.Sharding;
using Cache.Core.Tests.Changes;
using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Collections;

/// <summary>Fields of hashes whose values are too long for the pages of trees.</summary>
public sealed class LongFieldTests : IDisposable
{
    private const int Megabyte = 1 << 20;

    private readonly StoreFixture _fixture = new();

    private CacheStore Store => _fixture.Store;

    private HashKey Hash => Store.Hash("h"u8);

    private LongElements Long => Store.State.Objects!.LongElements;

    public void Dispose() => _fixture.Dispose();

    // The layout of ASP.NET's cache on Redis.
    [Theory]
    [InlineData(3_000)]
    [InlineData(4_096)]
    [InlineData(100_000)]
    [InlineData(Megabyte)]
    public void SetMany_OfTwoShortFieldsAndALongOne_IsRead(int length)
    {
        var entries = new EntryArray(
            (Bytes("absexp"), Bytes("-1")), (Bytes("sldexp"), Bytes("-1")), (Bytes("data"), Value(length, 1)));
        Assert.Equal(WriteStatus.Done, Hash.SetMany(ref entries, out int added));

        Assert.Equal((3, 3), (added, Hash.Count));
        Assert.Equal(Value(length, 1), Hash.GetArray("data"u8)!);
        Assert.Equal("-1"u8, Hash.GetArray("sldexp"u8)!);
        Assert.Equal(ReadStatus.Found, Hash.GetLength("data"u8, out int told));
        Assert.Equal(length, told);
        var some = new ValueListSink();
        var names = new KeyArray(Bytes("absexp"), Bytes("data"), Bytes("none"));
        Assert.Equal(ReadStatus.Found, Hash.GetMany(ref names, ref some));
        Assert.Equal<byte[]?>([Bytes("-1"), Value(length, 1), null], some.Values);
        var all = new FieldListSink();
        Assert.Equal(ReadStatus.Found, Hash.GetAll(ref all));
        Assert.Equal((string)all.Fields.Single(static field => field.Item1 == "data").Item2, Text(Value(length, 1)));
        var random = new FieldListSink();
        Assert.Equal(ReadStatus.Found, Hash.GetRandom(50, mayRepeat: true, ref random));
        Assert.All(random.Fields, field => Assert.Contains(field, all.Fields));
        Assert.Contains(random.Fields, static field => field.Item1 == "data");
        Store.AssertValid();
        Store.Remove("h"u8);
        AssertNothingIsLeft();
    }

    [Fact]
    public void Set_OfLongAndShortValuesInTurn_FreesWhatWasReplaced()
    {
        LargeHashTests.Fill(Store, "h", 200);
        foreach (int length in new[] { 2_000, 100_000, 10, 70_000, 70_000, 1_281, 0 })
        {
            Assert.Equal(WriteStatus.Done, Hash.Set("long"u8, Value(length, length)));
            Assert.Equal(Value(length, length), Hash.GetArray("long"u8)!);
            Store.AssertValid();
            Assert.InRange(Long.Bytes, length > 1_280 ? length : 0, length > 1_280 ? length + 5_000 : 0);
        }

        Assert.Equal(WriteStatus.Done, Hash.Set("long"u8, Value(5_000, 1)));
        Assert.Equal(WriteStatus.Done, Hash.Remove("long"u8));
        Assert.Equal((0, 200), (Long.Bytes, Hash.Count));
    }

    [Fact]
    public void Set_OfALongValue_CountsForTheKeyAndAgainstTheLimit()
    {
        LargeHashTests.Fill(Store, "h", 200);
        Assert.True(Store.TryPeekInfo("h"u8, out var small));
        Hash.Set("long"u8, new byte[Megabyte]);
        Assert.True(Store.TryPeekInfo("h"u8, out var info));
        Assert.InRange(info.MemoryBytes - small.MemoryBytes, Megabyte, Megabyte + 10_000);
        Assert.InRange(Long.Bytes, Megabyte, Megabyte + 5_000);
        Store.AssertValid();
    }

    [Fact]
    public void Set_ThatMakesASmallHashWithALongFieldLarge_KeepsIt()
    {
        Assert.Equal(WriteStatus.Done, Hash.Set("first"u8, Value(2_000, 1)));
        Assert.Null(Store.State.Objects);
        for (int i = 0; i < 100; i++)
            Assert.Equal(WriteStatus.Done, Hash.Set(BitConverter.GetBytes(i), Value(50, i)));
        Assert.Equal(Value(2_000, 1), Hash.GetArray("first"u8)!);
        Assert.Equal((101, 1), (Hash.Count, Store.State.Objects!.Count));
        Store.AssertValid();
    }

    [Fact]
    public void Set_OfOneFieldTwiceInOneWrite_KeepsTheLast()
    {
        LargeHashTests.Fill(Store, "h", 200);
        var entries = new EntryArray(
            (Bytes("f"), Value(5_000, 1)), (Bytes("f"), Bytes("short")), (Bytes("g"), Bytes("short")),
            (Bytes("g"), Value(6_000, 2)), (Bytes("g"), Value(7_000, 3)));
        Assert.Equal(WriteStatus.Done, Hash.SetMany(ref entries, out int added));
        Assert.Equal((2, 202), (added, Hash.Count));
        Assert.Equal("short"u8, Hash.GetArray("f"u8)!);
        Assert.Equal(Value(7_000, 3), Hash.GetArray("g"u8)!);
        Store.AssertValid();
    }

    [Fact]
    public void Copy_SharesLongValues_WhichStayUntilBothAreGone()
    {
        LargeHashTests.Fill(Store, "h", 200);
        Hash.Set("long"u8, Value(100_000, 1));
        long bytes = Long.Bytes;
        Assert.Equal(WriteStatus.Done, Store.Copy("h"u8, Store, "copy"u8, SetCondition.Always));
        Store.AssertValid();
        Assert.Equal(bytes, Long.Bytes);
        Hash.Set("long"u8, "short"u8);
        Assert.Equal(Value(100_000, 1), Store.Hash("copy"u8).GetArray("long"u8)!);
        Store.AssertValid();
        Store.Remove("copy"u8);
        Store.AssertValid();
        Assert.Equal(0, Long.Bytes);
    }

    [Fact]
    public void Snapshot_BeforeAWrite_HasTheFormerLongValues()
    {
        LargeHashTests.Fill(Store, "h", 200);
        Hash.Set("long"u8, Value(50_000, 1));
        Hash.Set("other"u8, Value(60_000, 2));
        var key = new EntryKey("h"u8, 0, Store.State.HashOf("h"u8, 0));
        var older = CollectionCopy.Take(Store.State, key, EntryKind.Hash, out _);
        Hash.Set("long"u8, Value(50_000, 3));
        var newer = CollectionCopy.Take(Store.State, key, EntryKind.Hash, out _);
        Hash.Set("long"u8, "short"u8);
        Hash.Remove("other"u8);

        AssertHas(older.View, Value(50_000, 1));
        AssertHas(newer.View, Value(50_000, 3));
        older.Dispose();
        AssertHas(newer.View, Value(50_000, 3));
        newer.Dispose();
        Store.AssertValid();
        Assert.Equal(0, Long.Bytes);
    }

    [Fact]
    public void Snapshots_ThatEndInAnyOrder_FreeTheirLongValues()
    {
        LargeHashTests.Fill(Store, "h", 200);
        var key = new EntryKey("h"u8, 0, Store.State.HashOf("h"u8, 0));
        Hash.Set("long"u8, Value(50_000, 1));
        var first = CollectionCopy.Take(Store.State, key, EntryKind.Hash, out _);
        Hash.Set("long"u8, Value(50_000, 2));
        var second = CollectionCopy.Take(Store.State, key, EntryKind.Hash, out _);
        Hash.Set("long"u8, Value(50_000, 3));
        second.Dispose();
        AssertHas(first.View, Value(50_000, 1));
        Store.Remove("h"u8);
        AssertHas(first.View, Value(50_000, 1));
        first.Dispose();
        AssertNothingIsLeft();
    }

    [Fact]
    public void Increment_OfALongValue_IsNoInteger()
    {
        LargeHashTests.Fill(Store, "h", 200);
        Hash.Set("long"u8, Value(2_000, 1));
        Assert.Equal(WriteStatus.NotAnInteger, Hash.Increment("long"u8, 1, out _));
    }

    [Fact]
    public void Update_OfALongValue_GetsIt()
    {
        LargeHashTests.Fill(Store, "h", 200);
        Hash.Set("long"u8, Value(20_000, 1));
        var update = new Doubling(30_000);
        Assert.Equal(WriteStatus.Done, Hash.Update("long"u8, ref update));
        Assert.Equal([.. Value(20_000, 1), .. Value(20_000, 1)], Hash.GetArray("long"u8)!);
        Assert.Equal(WriteStatus.ValueTooLong, Hash.Update("long"u8, ref update));
        var edit = new UpdateFieldEdit<Doubling>( // The last attempt, under the lock.
            "long"u8, new Doubling(50_000), Store.State.EncodingLimits);
        var key = new EntryKey("h"u8, 0, Store.State.HashOf("h"u8, 0));
        Assert.Equal(WriteStatus.Done, ObjectWriter.Write(Store.State, key, ref edit));
        Assert.Equal(ReadStatus.Found, Hash.GetLength("long"u8, out int length));
        Assert.Equal(80_000, length);
        Store.AssertValid();
    }

    // Each plan computes another one: no block that was made before is of its length.
    [Fact]
    public void Update_ToAnotherLengthEachTime_Ends()
    {
        LargeHashTests.Fill(Store, "h", 200);
        var edit = new UpdateFieldEdit<Growing>("long"u8, default, Store.State.EncodingLimits);
        var key = new EntryKey("h"u8, 0, Store.State.HashOf("h"u8, 0));
        Assert.Equal(WriteStatus.Done, ObjectWriter.Write(Store.State, key, ref edit));
        Assert.Equal(ReadStatus.Found, Hash.GetLength("long"u8, out int length));
        Assert.Equal(edit.Update.Value.Length, length);
        Assert.Equal(edit.Update.Value, Hash.GetArray("long"u8)!);
        Store.AssertValid();
    }

    [Fact]
    public void Set_OfAValueBeyondTheStoresLongest_IsRefused()
    {
        using var fixture = new StoreFixture(static options => options.ValueLengthMax = 5_000);
        var hash = fixture.Store.Hash("h"u8);
        LargeHashTests.Fill(fixture.Store, "h", 200);
        Assert.Equal(WriteStatus.ValueTooLong, hash.Set("f"u8, new byte[5_001]));
        Assert.Equal(WriteStatus.Done, hash.Set("f"u8, new byte[5_000]));
        Assert.Equal(WriteStatus.ValueTooLong, fixture.Store.Hash("new"u8).Set("f"u8, new byte[5_001]));
    }

    [Fact]
    public void SetMany_InAFullStore_IsRefusedAndChangesNothing()
    {
        using var fixture = new StoreFixture(static options => options.Eviction = EvictionPolicy.None);
        var store = fixture.Store;
        LargeHashTests.Fill(store, "h", 200);
        int count = 0;
        while (store.Hash("h"u8).Set(BitConverter.GetBytes(count), Value(100_000, count)) == WriteStatus.Done)
            count++;
        Assert.InRange(count, 10, (int)(MemoryLimitBytes / 100_000));
        Assert.InRange(store.State.Budget.UsedBytes, 1, MemoryLimitBytes);
        store.AssertValid();
        // The first one would fit in what the last had too little of.
        var entries = new EntryArray((Bytes("field 1"), Value(1_500, 1)), (Bytes("b"), Value(200_000, 2)));
        Assert.Equal(WriteStatus.OutOfMemory, store.Hash("h"u8).SetMany(ref entries, out _));
        Assert.Equal("value 1"u8, store.Hash("h"u8).GetArray("field 1"u8)!);
        store.AssertValid();
        for (int i = 0; i < count; i++)
        {
            Assert.Equal(Value(100_000, i), store.Hash("h"u8).GetArray(BitConverter.GetBytes(i))!);
            Assert.Equal(WriteStatus.Done, store.Hash("h"u8).Remove(BitConverter.GetBytes(i)));
        }

        store.AssertValid();
        Assert.Equal(0, store.State.Objects!.LongElements.Bytes);
    }

    [Fact]
    public void Set_InAFullStoreThatEvicts_EvictsKeysAndNeverPassesTheLimit()
    {
        for (int i = 0; i < 300; i++)
        {
            var hash = Store.Hash(BitConverter.GetBytes(i));
            Assert.Equal(WriteStatus.Done, hash.Set("a"u8, Value(100_000, i)));
            Assert.Equal(WriteStatus.Done, hash.Set("b"u8, Value(30_000, i)));
            Assert.InRange(Store.State.Budget.UsedBytes, 1, MemoryLimitBytes);
        }

        Assert.Equal(Value(100_000, 299), Store.Hash(BitConverter.GetBytes(299)).GetArray("a"u8)!);
        Assert.InRange(Store.Count, 5, 299);
        Store.AssertValid();
    }

    // It was planned for none: what it would tell has stubs of this process.
    [Fact]
    public void SetMany_OfALongFieldWhileAJournalIsAttached_IsRecordedWhole()
    {
        using var fixture = new StoreFixture();
        var store = fixture.Store;
        var journal = new RecordingJournal();
        bool isAttached = false;
        RoomSteps.Observe(step =>
        {
            if (step != RoomStep.RecordStaged || isAttached)
                return;
            isAttached = true;
            store.Attach(journal);
        });
        var entries = new EntryArray((Bytes("a"), Bytes("1")), (Bytes("data"), new byte[20_000]));
        Assert.Equal(WriteStatus.Done, store.Hash("h"u8).SetMany(ref entries, out _));
        RoomSteps.Observe(null);
        store.Detach(journal);

        Assert.True(isAttached);
        var told = Assert.Single(journal.Changes);
        Assert.Equal((ChangeKind.Set, EntryKind.Hash), (told.Record.Kind, told.Record.EntryKind));
        Assert.True(StoredCollection.IsWhole(EntryKind.Hash, told.Value));
        store.AssertValid();
    }

    [Fact]
    public void Get_OfALongValue_AllocatesNothing()
    {
        Hash.Set("long"u8, Value(10_000, 1));
        var sink = new RoomSink(new byte[10_000]);
        Hash.Get("long"u8, ref sink);
        Hash.Set("long"u8, sink.Room);

        Assert.Equal(0, AllocatedBytes.LeastOf(() =>
        {
            for (int i = 0; i < 100; i++)
            {
                Hash.Get("long"u8, ref sink);
#if !CACHE_CHECKED // The checked twin keeps the bounds of each block in an object.
                Hash.Set("long"u8, sink.Room);
#endif
            }
        }));
        Assert.Equal(Value(10_000, 1), sink.Room);
    }

    [Fact]
    public void Scan_OfLongFields_EndsAStepWithTheBytes()
    {
        using var fixture = new StoreFixture(static options => options.MemoryLimitBytes = 64 << 20);
        var hash = fixture.Store.Hash("h"u8);
        for (int i = 0; i < 40; i++)
            hash.Set(BitConverter.GetBytes(i), Value(100_000, i));
        var names = new HashSet<string>();
        ulong cursor = 0;
        do
        {
            var sink = new FieldListSink();
            Assert.Equal(ReadStatus.Found, hash.Scan(ref cursor, 1_000, ref sink));
            Assert.InRange(sink.Fields.Count, 1, 12);
            names.UnionWith(sink.Fields.Select(static field => field.Item1));
        }
        while (cursor != 0);
        Assert.Equal(40, names.Count);
    }

    [Fact]
    public void Dispose_WithLongValuesInTreesAndSnapshots_ReleasesAll()
    {
        var state = Store.State;
        LargeHashTests.Fill(Store, "h", 200);
        Hash.Set("long"u8, Value(50_000, 1));
        Store.Copy("h"u8, Store, "copy"u8, SetCondition.Always);
        var key = new EntryKey("h"u8, 0, state.HashOf("h"u8, 0));
        var copy = CollectionCopy.Take(state, key, EntryKind.Hash, out _);
        Hash.Set("long"u8, Value(60_000, 2));
        Hash.Set("other"u8, Value(60_000, 3));
        Assert.True(copy.View.TryFindField("long"u8, out var entry));
        Store.Dispose();

        Assert.Throws<ObjectDisposedException>(() => state.ThrowIfDisposed());
        AssertIsGone(copy.View);
        copy.Dispose();
        Assert.Equal((0, 0), (state.Objects!.LongElements.Bytes, state.Heap.OutCount));
    }

    private static void AssertIsGone(in ObjectView view)
    {
        try
        {
            _ = view.TryFindField("long"u8, out var entry) && entry.IsValueStub && view.Borrow(entry).Value.Length != 0;
        }
        catch (ObjectDisposedException)
        {
            return;
        }

        Assert.False(view.TryFindField("long"u8, out _));
    }

    private static void AssertHas(in ObjectView view, byte[] value)
    {
        Assert.True(view.TryFindField("long"u8, out var entry));
        using var loan = view.Borrow(entry);
        Assert.True(loan.Value.SequenceEqual(value));
    }

    private static byte[] Value(int length, int seed)
    {
        byte[] value = new byte[length];
        new Random(seed).NextBytes(value);
        return value;
    }

    private static string Text(byte[] bytes) => string.Concat(bytes.Select(static one => (char)one));

    private void AssertNothingIsLeft()
    {
        Store.AssertValid();
        Assert.Equal((0, 0), (Store.State.Objects?.Count ?? 0, Store.State.Objects?.UsedBytes ?? 0));
    }

    private readonly struct RoomSink(byte[] room) : IValueSink
    {
        public byte[] Room => room;

        public Span<byte> GetSpan(int length) => room.AsSpan(0, length);

        public void Advance(int length)
        {
        }
    }

    private struct Doubling(int lengthMax) : IValueUpdate
    {
        private byte[] _value = [];

        public readonly int LengthMax => lengthMax;

        public readonly ReadOnlySpan<byte> Value => _value;

        public bool TryMake(ReadOnlySpan<byte> present, bool exists)
        {
            _value = [.. present, .. present];
            return true;
        }
    }

    private struct Growing : IValueUpdate
    {
        private byte[] _value;

        public readonly int LengthMax => 100;

        public readonly ReadOnlySpan<byte> Value => _value;

        public bool TryMake(ReadOnlySpan<byte> present, bool exists)
        {
            _value = LongFieldTests.Value(2_000 + (_value?.Length ?? 0) % 97, 1);
            return true;
        }
    }
}
