using System.Text;
using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Collections;

/// <summary>Hashes that are too long for a record.</summary>
public sealed class LargeHashTests : IDisposable
{
    private const int Many = 1_000;

    private readonly StoreFixture _fixture = new();

    private CacheStore Store => _fixture.Store;

    private HashKey Hash => Store.Hash("h"u8);

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void Set_OfManyFields_MakesALargeHash()
    {
        Fill(Store, "h", Many);

        Assert.Equal((Many, 1), (Hash.Count, Store.State.Objects!.Count));
        Assert.Equal("value 7"u8, Hash.GetArray("field 7"u8)!);
        Assert.Null(Hash.GetArray("absent"u8));
        Assert.Equal(EntryKind.Hash, Store.KindOf("h"u8));
        Assert.Equal(1, Store.Count);
        Assert.Null(Store.GetArray("h"u8));
        Assert.True(Store.TryPeekInfo("h"u8, out var info));
        Assert.InRange(info.MemoryBytes, Many * 20, Many * 60);
    }

    [Fact]
    public void Set_OfOneFieldOrMany_TellsWhatWasNew()
    {
        Fill(Store, "h", Many);
        Assert.Equal(WriteStatus.Done, Hash.Set("field 7"u8, "other"u8, SetCondition.Always, out bool isNew));
        Assert.False(isNew);
        Assert.Equal(WriteStatus.Done, Hash.Set("new"u8, "other"u8, SetCondition.IfAbsent, out isNew));
        Assert.True(isNew);
        Assert.Equal(WriteStatus.ConditionNotMet, Hash.Set("new"u8, "x"u8, SetCondition.IfAbsent, out _));
        var entries = new EntryArray(
            (Bytes("a"), Bytes("1")), (Bytes("field 8"), Bytes("2")), (Bytes("a"), Bytes("3")));
        Assert.Equal(WriteStatus.Done, Hash.SetMany(ref entries, out int added));

        Assert.Equal((1, Many + 2), (added, Hash.Count));
        Assert.Equal("3"u8, Hash.GetArray("a"u8)!);
        Assert.Equal("2"u8, Hash.GetArray("field 8"u8)!);
        Assert.Equal(WriteStatus.Done, Hash.Increment("field n"u8, 5, out long sum));
        Assert.Equal(WriteStatus.Done, Hash.Increment("field n"u8, -7, out sum));
        Assert.Equal(-2, sum);
        Assert.Equal(WriteStatus.NotAnInteger, Hash.Increment("field 9"u8, 1, out _));
        Assert.Equal(ReadStatus.Found, Hash.GetLength("field 9"u8, out int length));
        Assert.Equal(7, length);
    }

    [Fact]
    public void SetMany_ThatIsTooLongForOneRecord_MakesALargeHashAtOnce()
    {
        var entries = new EntryArray([.. Enumerable.Range(0, 300).Select(i => (Bytes($"field {i}"), new byte[50]))]);
        Assert.Equal(WriteStatus.Done, Hash.SetMany(ref entries, out int added));
        Assert.Equal((300, 300), (added, Hash.Count));
    }

    [Fact]
    public void Remove_OfAllFields_RemovesTheKeyAndItsPages()
    {
        Fill(Store, "h", Many);
        for (int i = 0; i < Many; i++)
            Assert.Equal(WriteStatus.Done, Hash.Remove(Bytes($"field {i}")));

        Assert.Equal(WriteStatus.NotFound, Hash.Remove("field 1"u8));
        Assert.False(Store.Contains("h"u8));
        Assert.Equal(0, Store.Count);
        AssertNoPages();
    }

    [Fact]
    public void RemoveMany_OfEveryFieldTwice_RemovesTheKey()
    {
        Fill(Store, "h", Many);
        var most = new KeyArray([.. Enumerable.Range(2, Many - 2).Select(i => Bytes($"field {i}"))]);
        Assert.Equal(WriteStatus.Done, Hash.RemoveMany(ref most, out int removed));
        Assert.Equal(Many - 2, removed);
        var rest = new KeyArray(Bytes("field 0"), Bytes("absent"), Bytes("field 1"), Bytes("field 0"));
        Assert.Equal(WriteStatus.Done, Hash.RemoveMany(ref rest, out removed));

        Assert.Equal(2, removed);
        Assert.False(Store.Contains("h"u8));
        AssertNoPages();
    }

    [Fact]
    public void GetAllGetManyAndScan_FindEachField()
    {
        Fill(Store, "h", Many);
        var all = new FieldListSink();
        Assert.Equal(ReadStatus.Found, Hash.GetAll(ref all));
        Assert.Equal(Many, all.Count);
        Assert.Equal(
            Enumerable.Range(0, Many).Select(i => ($"field {i}", $"value {i}")).Order(), all.Fields.Order());

        var some = new ValueListSink();
        var names = new KeyArray(Bytes("field 3"), Bytes("absent"), Bytes("field 4"));
        Assert.Equal(ReadStatus.Found, Hash.GetMany(ref names, ref some));
        Assert.Equal<byte[]?>([Bytes("value 3"), null, Bytes("value 4")], some.Values);

        var scanned = new List<(string, string)>();
        ulong cursor = 0;
        int steps = 0;
        do
        {
            var sink = new FieldListSink();
            Assert.Equal(ReadStatus.Found, Hash.Scan(ref cursor, 10, ref sink));
            Assert.Equal(sink.Count, sink.Fields.Count);
            scanned.AddRange(sink.Fields);
            steps++;
        }
        while (cursor != 0);
        Assert.Equal(all.Fields.Order(), scanned.Order());
        Assert.InRange(steps, Many / 20, Many / 10 + 1);
    }

    [Fact]
    public void Update_OfAField_GetsThePresentValue()
    {
        Fill(Store, "h", Many);
        var update = new AppendUpdate("x");
        Assert.Equal(WriteStatus.Done, Hash.Update("field 7"u8, ref update));
        Assert.Equal("value 7x"u8, Hash.GetArray("field 7"u8)!);
    }

    [Fact]
    public void Keys_WithLargeHashes_AreRenamedCopiedMovedAndOverwritten()
    {
        Fill(Store, "h", Many);
        Assert.Equal(WriteStatus.Done, Store.Copy("h"u8, Store, "copy"u8, SetCondition.Always));
        Hash.Set("field 7"u8, "changed"u8);
        Assert.Equal(2, Store.State.Objects!.Count);
        Assert.Equal(WriteStatus.Done, Store.Rename("h"u8, "name"u8, SetCondition.Always));
        Assert.Equal(WriteStatus.Done, Store.Move("name"u8, Store.SelectKeyspace(3)));
        Assert.Equal("value 7"u8, Store.Hash("copy"u8).GetArray("field 7"u8)!);
        Assert.Equal("changed"u8, Store.SelectKeyspace(3).Hash("name"u8).GetArray("field 7"u8)!);
        Assert.Equal((0, Many), (Hash.Count, Store.Hash("copy"u8).Count));
        Store.AssertValid();

        Store.Set("copy"u8, "12345678"u8); // As long as the stub.
        Assert.Equal("12345678"u8, Store.GetArray("copy"u8)!);
        Assert.Equal(1, Store.State.Objects!.Count);
        Fill(Store, "h", Many);
        Assert.Equal(WriteStatus.Done, Store.Rename("copy"u8, "h"u8, SetCondition.Always));
        Assert.Equal("12345678"u8, Store.GetArray("h"u8)!);
        Store.SelectKeyspace(3).Remove("name"u8);
        AssertNoPages();
    }

    [Fact]
    public void Expiry_OfALargeHash_StaysWhileItIsWrittenAndEndsIt()
    {
        Hash.Set("f"u8, "v"u8);
        Store.Expire("h"u8, Store.NowMs + 1_000, ExpireConditions.None);
        Fill(Store, "h", Many);
        Assert.True(Store.TryPeekInfo("h"u8, out var info));
        Assert.Equal(Store.NowMs + 1_000, info.ExpiresAtMs);
        Store.Expire("h"u8, Store.NowMs + 2_000, ExpireConditions.None);
        Assert.Equal(Many + 1, Hash.Count);
        Store.AssertValid();
        _fixture.Clock.Advance(2_001);

        Assert.Equal(0, Hash.Count);
        Assert.Equal(WriteStatus.Done, Hash.Set("f"u8, "v"u8, SetCondition.IfAbsent, out _));
        AssertNoPages();
    }

    [Fact]
    public void Clear_OfAKeyspace_FreesItsLargeHashes()
    {
        Fill(Store, "h", Many);
        Fill(Store.SelectKeyspace(1), "h", Many);
        Store.Clear();
        Assert.Equal(0, Hash.Count);
        Fill(Store, "h", Many);
        Store.SelectKeyspace(1).Clear();
        for (int i = 0; i < 20; i++)
            _fixture.Clock.Advance(100);

        Assert.Equal(1, Store.State.Objects!.Count);
        Assert.Equal(Many, Hash.Count);
    }

    [Fact]
    public void Version_OfAKey_ChangesWithAField()
    {
        Fill(Store, "h", Many);
        Store.TryPeekInfo("h"u8, out var before);
        var all = new FieldListSink();
        Hash.GetAll(ref all);
        Store.TryPeekInfo("h"u8, out var read);
        Hash.Set("field 1"u8, "w"u8);
        Store.TryPeekInfo("h"u8, out var after);

        Assert.Equal(before.Version, read.Version);
        Assert.NotEqual(before.Version, after.Version);
        Assert.Equal(WriteStatus.ConditionNotMet, Store.SetIfUnchanged("h"u8, "s"u8, default, before.Version));
        Assert.Equal(WriteStatus.Done, Store.SetIfUnchanged("h"u8, "s"u8, default, after.Version));
        AssertNoPages();
    }

    [Fact]
    public void Transaction_OnALargeHash_SeesItsOwnWrites()
    {
        Fill(Store, "h", Many);
        KeyedTransaction.Run(Store, [Bytes("h"), Bytes("i")], 4, 400, static store =>
        {
            store.Hash("h"u8).Set("g"u8, "w"u8);
            Assert.Equal("w"u8, store.Hash("h"u8).GetArray("g"u8)!);
            Fill(store, "i", 300);
            Assert.Equal(300, store.Hash("i"u8).Count);
            var all = new FieldListSink();
            store.Hash("i"u8).GetAll(ref all);
            Assert.Equal(300, all.Count);
            store.Remove("h"u8);
            Assert.Equal(0, store.Hash("h"u8).Count);
        });

        Assert.Equal((0, 300), (Hash.Count, Store.Hash("i"u8).Count));
    }

    [Fact]
    public void Set_OfAFieldThatNoStoreHolds_IsRefusedAndChangesNothing()
    {
        Fill(Store, "h", Many);
        var entries = new EntryArray((Bytes("a"), Bytes("1")), (new byte[Store.State.ValueLengthMax + 1], []));
        Assert.Equal(WriteStatus.ValueTooLong, Hash.SetMany(ref entries, out int added));
        Assert.Equal((0, Many), (added, Hash.Count));
        Store.AssertValid();
    }

    [Fact]
    public void Set_InAFullStoreThatEvictsNothing_IsRefusedAndChangesNothing()
    {
        using var fixture = new StoreFixture(static options => options.Eviction = EvictionPolicy.None);
        var store = fixture.Store;
        int count = 0;
        byte[] value = new byte[100];
        while (store.Hash("h"u8).Set(BitConverter.GetBytes(count), value) == WriteStatus.Done)
            count++;
        Assert.InRange(count, 80_000, 160_000);
        Assert.Equal(count, store.Hash("h"u8).Count);
        Assert.InRange(store.State.Budget.UsedBytes, 1, MemoryLimitBytes);
        int first = 0;
        byte[] longer = new byte[1_200];
        WriteStatus status;
        do
        {
            var entries = new EntryArray([.. Enumerable.Range(first, 100).Select(
                i => (BitConverter.GetBytes(i), longer))]);
            status = store.Hash("h"u8).SetMany(ref entries, out _);
            first += 100;
        }
        while (status == WriteStatus.Done && first < count);
        Assert.Equal(WriteStatus.OutOfMemory, status);
        for (int i = 0; i < count; i++)
            Assert.Equal(i < first - 100 ? longer : value, store.Hash("h"u8).GetArray(BitConverter.GetBytes(i))!);
        store.AssertValid();

        for (int i = 0; i < count; i++)
            Assert.Equal(WriteStatus.Done, store.Hash("h"u8).Remove(BitConverter.GetBytes(i)));
        Assert.False(store.Contains("h"u8));
    }

    [Fact]
    public void Set_InAFullStoreThatEvicts_EvictsOtherKeysAndNeverPassesTheLimit()
    {
        for (int i = 0; i < 200; i++)
        {
            Fill(Store, $"h{i}", Many * 4);
            Assert.InRange(Store.State.Budget.UsedBytes, 1, MemoryLimitBytes);
        }

        Assert.Equal(Many * 4, Store.Hash("h199"u8).Count);
        Assert.InRange(Store.Count, 20, 199);
        Assert.Equal(Store.Count, Store.State.Objects!.Count);
    }

    [Fact]
    public void AnyOperations_OnSomeLargeHashes_AreThoseOfDictionaries() => RandomSeed.Run(this, static seed =>
    {
        using var fixture = new StoreFixture();
        LargeHashModel.Run(fixture, new Random(seed), 30_000);
    });

    internal static void Fill(CacheStore store, string key, int count)
    {
        var hash = store.Hash(Bytes(key));
        for (int i = 0; i < count; i++)
            Assert.Equal(WriteStatus.Done, hash.Set(Bytes($"field {i}"), Encoding.Latin1.GetBytes($"value {i}")));
    }

    private void AssertNoPages()
    {
        Store.AssertValid();
        Assert.Equal((0, 0), (Store.State.Objects!.Count, Store.State.Objects!.UsedBytes));
    }

    private struct AppendUpdate(string end) : IValueUpdate
    {
        private byte[] _value = [];

        public readonly int LengthMax => 100;

        public readonly ReadOnlySpan<byte> Value => _value;

        public bool TryMake(ReadOnlySpan<byte> present, bool exists)
        {
            _value = [.. present, .. Encoding.Latin1.GetBytes(end)];
            return true;
        }
    }
}
