using System.Text;
using Cache.Core.Collections.Packed;
using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Collections;

public sealed class HashKeyTests : IDisposable
{
    private readonly StoreFixture _fixture = new();

    private CacheStore Store => _fixture.Store;

    private HashKey Hash => Store.Hash("h"u8);

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void Get_OfAFieldThatWasSet_IsItsValue()
    {
        Assert.Equal(WriteStatus.Done, Hash.Set("f"u8, "v"u8, SetCondition.Always, out bool isNew));
        Assert.True(isNew);
        Assert.Equal(WriteStatus.Done, Hash.Set("f"u8, "other"u8, SetCondition.Always, out isNew));
        Assert.False(isNew);

        Assert.Equal("other"u8, Hash.GetArray("f"u8)!);
        Assert.Null(Hash.GetArray("g"u8));
        Assert.Null(Store.Hash("absent"u8).GetArray("f"u8));
        Assert.Equal((1, EntryKind.Hash), (Hash.Count, Store.KindOf("h"u8)));
    }

    [Fact]
    public void Reads_ThatFindNothing_SayWhy()
    {
        var sink = default(ArraySink);
        Assert.Equal(ReadStatus.NotFound, Hash.Get("f"u8, ref sink));
        Assert.Equal(ReadStatus.NotFound, Hash.GetCount(out long count));
        Assert.Equal(0, count);
        Hash.Set("f"u8, "v"u8);
        Assert.Equal(ReadStatus.NotFound, Hash.Get("g"u8, ref sink));
        Assert.Equal(ReadStatus.NotFound, Hash.GetLength("g"u8, out int length));
        Assert.Equal(0, length);
        Assert.Null(sink.Array);
    }

    [Fact]
    public void Members_OfAKeyOfAnotherKind_SayItAndChangeNothing()
    {
        Store.Set("h"u8, "string"u8);
        var array = default(ArraySink);
        var values = new ValueListSink();
        var fields = new FieldListSink();
        var names = new KeyArray("f"u8.ToArray());
        var entries = new EntryArray(("f"u8.ToArray(), "v"u8.ToArray()));
        ulong cursor = 0;

        Assert.Equal(ReadStatus.WrongType, Hash.Get("f"u8, ref array));
        Assert.Equal(ReadStatus.WrongType, Hash.GetMany(ref names, ref values));
        Assert.Equal(ReadStatus.WrongType, Hash.GetAll(ref fields));
        Assert.Equal(ReadStatus.WrongType, Hash.Scan(ref cursor, 10, ref fields));
        Assert.Equal(ReadStatus.WrongType, Hash.GetLength("f"u8, out _));
        Assert.Equal(ReadStatus.WrongType, Hash.GetCount(out _));
        Assert.False(Hash.Contains("f"u8));
        Assert.Equal(0, Hash.Count);
        Assert.Equal(WriteStatus.WrongType, Hash.Set("f"u8, "v"u8));
        Assert.Equal(WriteStatus.WrongType, Hash.SetMany(ref entries, out int added));
        Assert.Equal(WriteStatus.WrongType, Hash.Remove("f"u8));
        Assert.Equal(WriteStatus.WrongType, Hash.RemoveMany(ref names, out int removed));
        Assert.Equal(WriteStatus.WrongType, Hash.Increment("f"u8, 1, out _));
        var update = new AppendUpdate("x");
        Assert.Equal(WriteStatus.WrongType, Hash.Update("f"u8, ref update));

        Assert.Equal((0, 0, -1), (added, removed, fields.Count));
        Assert.Empty(values.Values);
        Assert.Equal("string"u8, Store.GetArray("h"u8)!);
    }

    [Fact]
    public void Set_UnderAConditionThatDoesNotHold_ChangesNothing()
    {
        Assert.Equal(WriteStatus.ConditionNotMet, Hash.Set("f"u8, "v"u8, SetCondition.IfPresent, out _));
        Assert.False(Store.Contains("h"u8));
        Hash.Set("f"u8, "v"u8);
        Assert.Equal(WriteStatus.ConditionNotMet, Hash.Set("f"u8, "w"u8, SetCondition.IfAbsent, out _));
        Assert.Equal("v"u8, Hash.GetArray("f"u8)!);
    }

    [Fact]
    public void Remove_OfTheLastField_RemovesTheKey()
    {
        Hash.Set("f"u8, "v"u8);
        Hash.Set("g"u8, "w"u8);
        var names = new KeyArray("f"u8.ToArray(), "absent"u8.ToArray(), "f"u8.ToArray());

        Assert.Equal(WriteStatus.Done, Hash.RemoveMany(ref names, out int removed));
        Assert.Equal((1, 1), (removed, Hash.Count));
        Assert.Equal(WriteStatus.NotFound, Hash.Remove("f"u8));
        Assert.Equal(WriteStatus.Done, Hash.Remove("g"u8));

        Assert.False(Store.Contains("h"u8));
        Assert.Equal(0, Store.Count);
    }

    [Fact]
    public void GetAllAndGetMany_TellEachFieldInTheOrderOfItsFirstSet()
    {
        var entries = new EntryArray(
            (Bytes("b"), Bytes("1")), (Bytes("a"), Bytes("2")), (Bytes("b"), Bytes("3")), (Bytes(""), Bytes("")));
        Assert.Equal(WriteStatus.Done, Hash.SetMany(ref entries, out int added));
        Assert.Equal(3, added);

        var all = new FieldListSink();
        Assert.Equal(ReadStatus.Found, Hash.GetAll(ref all));
        Assert.Equal([("b", "3"), ("a", "2"), ("", "")], all.Fields);
        Assert.Equal(3, all.Count);
        var some = new ValueListSink();
        var names = new KeyArray(Bytes("a"), Bytes("absent"), Bytes("b"));
        Assert.Equal(ReadStatus.Found, Hash.GetMany(ref names, ref some));
        Assert.Equal<byte[]?>([Bytes("2"), null, Bytes("3")], some.Values);
        some.Restart();
        Assert.Equal(ReadStatus.NotFound, Store.Hash("absent"u8).GetMany(ref names, ref some));
        Assert.Equal<byte[]?>([null, null, null], some.Values);
    }

    [Fact]
    public void Increment_OfEachKindOfField_IsASumOrAnError()
    {
        Assert.Equal(WriteStatus.Done, Hash.Increment("n"u8, 5, out long sum));
        Assert.Equal(WriteStatus.Done, Hash.Increment("n"u8, -7, out sum));
        Assert.Equal(-2, sum);
        Assert.Equal("-2"u8, Hash.GetArray("n"u8)!);
        Hash.Set("text"u8, "1.5"u8);
        Assert.Equal(WriteStatus.NotAnInteger, Hash.Increment("text"u8, 1, out _));
        Hash.Set("most"u8, "9223372036854775807"u8);
        Assert.Equal(WriteStatus.Overflow, Hash.Increment("most"u8, 1, out _));
        Assert.Equal("9223372036854775807"u8, Hash.GetArray("most"u8)!);
    }

    [Fact]
    public void Update_OfAField_GetsThePresentValue()
    {
        var update = new AppendUpdate("x");
        Assert.Equal(WriteStatus.Done, Hash.Update("f"u8, ref update));
        update = new AppendUpdate("y");
        Assert.Equal(WriteStatus.Done, Hash.Update("f"u8, ref update));
        Assert.Equal("xy"u8, Hash.GetArray("f"u8)!);
        Hash.Set("f"u8, new byte[101]);
        Assert.Equal(WriteStatus.ValueTooLong, Hash.Update("f"u8, ref update));
    }

    [Fact]
    public void Update_OfAFieldThatIsWrittenMeanwhile_ComputesAgain()
    {
        Hash.Set("f"u8, "a"u8);
        var update = new WritingUpdate(Store);

        Assert.Equal(WriteStatus.Done, Hash.Update("f"u8, ref update));

        Assert.Equal((2, "bx"), (update.Calls, Encoding.Latin1.GetString(Hash.GetArray("f"u8)!)));
    }

    [Fact]
    public void Remove_OfAFieldInAFullStore_NeedsNoRoom()
    {
        using var fixture = new StoreFixture(static options =>
        {
            options.MemoryLimitBytes = CacheOptions.MemoryLimitMin;
            options.Eviction = EvictionPolicy.None;
        });
        var store = fixture.Store;
        for (int i = 0; i < 250; i++)
            Assert.Equal(WriteStatus.Done, store.Hash(Bytes($"h{i / 5}")).Set(Bytes($"f{i % 5}"), new byte[80]));
        for (int size = 300; size >= 1; size /= 3)
        {
            for (int i = 0; store.Set(Bytes($"fill {size} {i}"), new byte[size]) == WriteStatus.Done;)
                i++;
        }

        for (int i = 0; i < 250; i++)
            Assert.Equal(WriteStatus.Done, store.Hash(Bytes($"h{i / 5}")).Remove(Bytes($"f{i % 5}")));
    }

    [Fact]
    public void Remove_OfAFieldInAFullStoreThatEvicts_EvictsNothing()
    {
        using var fixture = new StoreFixture(static options => options.MemoryLimitBytes = CacheOptions.MemoryLimitMin);
        var store = fixture.Store;
        for (int i = 0; store.GetStatistics().Evictions == 0; i++)
            store.Set(Bytes($"fill {i}"), new byte[200]);
        for (int i = 0; i < 100; i++)
            store.Hash(Bytes($"h{i / 10}")).Set(Bytes($"f{i % 10}"), new byte[100]);
        long evictions = store.GetStatistics().Evictions;

        for (int i = 0; i < 80; i++)
            store.Hash(Bytes($"h{i / 10}")).Remove(Bytes($"f{i % 10}"));

        Assert.Equal(evictions, store.GetStatistics().Evictions);
    }

    [Fact]
    public void Peek_OfAKeyWhoseKindChanges_FindsItAlways()
    {
        Hash.Set("f"u8, "v"u8);
        var stored = default(ArraySink);
        Assert.True(Store.TryPeekStored("h"u8, ref stored, out _));
        byte[] hash = stored.Array!;
        bool isOver = false;
        var writer = new Thread(() =>
        {
            while (!Volatile.Read(ref isOver))
            {
                Store.Set("h"u8, "s"u8);
                Store.SetStored("h"u8, EntryKind.Hash, hash, default);
            }
        });
        writer.Start();
        int misses = 0;
        for (int i = 0; i < 100_000; i++)
        {
            var sink = default(ArraySink);
            misses += Store.TryPeekStored("h"u8, ref sink, out _) ? 0 : 1;
        }

        Volatile.Write(ref isOver, true);
        writer.Join();
        Assert.Equal(0, misses);
    }

    // What is parsed from torn bytes is no length.
    [Fact]
    public void Get_BesideAWriter_AsksForNoMoreThanTheValueEverHad()
    {
        byte[] shorter = new byte[254];
        byte[] longer = new byte[300];
        for (int i = 0; i < shorter.Length; i += 2)
            (shorter[i], shorter[i + 1]) = (0xD0, 0x07); // As a length, 2,000.
        Hash.Set("f"u8, shorter);
        Hash.Set("g"u8, new byte[3_000]);
        bool isOver = false;
        var writer = new Thread(() =>
        {
            while (!Volatile.Read(ref isOver))
            {
                Hash.Set("f"u8, longer);
                Hash.Set("f"u8, shorter);
            }
        });
        writer.Start();
        int longest = 0;
        for (int i = 0; i < 100_000; i++)
        {
            var sink = new LongestSink();
            Hash.TryGet("f"u8, ref sink);
            longest = Math.Max(longest, sink.Longest);
        }

        Volatile.Write(ref isOver, true);
        writer.Join();
        Assert.InRange(longest, shorter.Length, longer.Length);
    }

    [Fact]
    public void Set_OfANameBeyondTheLongestRecord_MakesALargeHash()
    {
        Hash.Set("f"u8, "v"u8);
        byte[] name = new byte[PackedTable.LengthMax];
        Assert.Equal(WriteStatus.Done, Hash.Set(name, new byte[100_000]));
        var entries = new EntryArray((Bytes("a"), Bytes("1")), (name, Bytes("2")));
        Assert.Equal(WriteStatus.Done, Hash.SetMany(ref entries, out int added));
        Assert.Equal((1, 3), (added, Hash.Count));
        Assert.Equal("2"u8, Hash.GetArray(name)!);
        Assert.Equal("v"u8, Hash.GetArray("f"u8)!);
        Assert.Equal(0, Store.GetStatistics().RefusedWrites);
    }

    // Its segments are of 4 KB, its slabs of 64 KB.
    [Fact]
    public void Set_InASmallStore_IsRefusedWhereTheLimitIsMet()
    {
        using var fixture = new StoreFixture(static options => options.MemoryLimitBytes = CacheOptions.MemoryLimitMin);
        var hash = fixture.Store.Hash("h"u8);
        int count = 0;
        while (hash.Set(BitConverter.GetBytes(count), new byte[20]) == WriteStatus.Done)
            count++;

        Assert.InRange(count, 40, CacheOptions.MemoryLimitMin / 24);
        Assert.Equal(count, hash.Count);
    }

    [Fact]
    public void Expiry_OfAHash_StaysWhileItIsWritten()
    {
        Hash.Set("f"u8, "v"u8);
        Store.Expire("h"u8, Store.NowMs + 1_000, ExpireConditions.None);
        for (int i = 0; i < 100; i++)
            Hash.Set(Bytes($"field {i}"), Bytes($"value {i}"));
        Assert.True(Store.TryPeekInfo("h"u8, out var info));
        Assert.Equal(Store.NowMs + 1_000, info.ExpiresAtMs);
        _fixture.Clock.Advance(1_001);

        Assert.Equal(0, Hash.Count);
        Assert.Equal(WriteStatus.Done, Hash.Set("f"u8, "v"u8, SetCondition.IfAbsent, out _));
        Assert.Equal(1, Hash.Count);
    }

    [Fact]
    public void Keys_WithHashes_AreRenamedCopiedMovedAndOverwritten()
    {
        for (int i = 0; i < 50; i++)
            Hash.Set(Bytes($"field {i}"), Bytes($"value {i}"));
        Assert.Equal(WriteStatus.Done, Store.Copy("h"u8, Store, "copy"u8, SetCondition.Always));
        Hash.Set("field 7"u8, "changed"u8);
        Assert.Equal(WriteStatus.Done, Store.Rename("h"u8, "name"u8, SetCondition.Always));
        Assert.Equal(WriteStatus.Done, Store.Move("name"u8, Store.SelectKeyspace(3)));

        Assert.Equal("value 7"u8, Store.Hash("copy"u8).GetArray("field 7"u8)!);
        Assert.Equal("changed"u8, Store.SelectKeyspace(3).Hash("name"u8).GetArray("field 7"u8)!);
        Assert.Equal((0, 50), (Hash.Count, Store.Hash("copy"u8).Count));
        Store.Set("copy"u8, "string"u8);
        Assert.Equal("string"u8, Store.GetArray("copy"u8)!);
    }

    [Fact]
    public void Transaction_OnAHash_SeesItsOwnWrites()
    {
        Hash.Set("f"u8, "v"u8);
        KeyedTransaction.Run(Store, [Bytes("h"), Bytes("i")], 4, 400, static store =>
        {
            store.Hash("h"u8).Set("g"u8, "w"u8);
            Assert.Equal("w"u8, store.Hash("h"u8).GetArray("g"u8)!);
            store.Hash("i"u8).Increment("n"u8, 2, out _);
            Assert.Equal(2, store.Hash("h"u8).Count);
        });

        Assert.Equal((2, "2"), (Hash.Count, Encoding.Latin1.GetString(Store.Hash("i"u8).GetArray("n"u8)!)));
    }

    [Fact]
    public void Reads_OfAHash_CountAsReadsOfTheKey()
    {
        Hash.Set("f"u8, "v"u8);
        Hash.GetArray("f"u8);
        Hash.GetArray("absent"u8); // The key is there.
        Hash.GetCount(out _);
        Store.Hash("absent"u8).GetArray("f"u8);

        var statistics = Store.GetStatistics();
        Assert.Equal((3, 1), (statistics.Hits, statistics.Misses));
        Assert.True(Store.TryPeekInfo("h"u8, out var info));
        Assert.True(info.UseCount > 0);
    }

    [Fact]
    public void Version_OfAKey_ChangesWithAField()
    {
        Hash.Set("f"u8, "v"u8);
        Store.TryPeekInfo("h"u8, out var before);
        Hash.Set("f"u8, "w"u8);
        Store.TryPeekInfo("h"u8, out var after);

        Assert.NotEqual(before.Version, after.Version);
        Assert.Equal(WriteStatus.ConditionNotMet, Store.SetIfUnchanged("h"u8, "s"u8, default, before.Version));
    }

    [Fact]
    public void Get_OfAFieldThatIsWrittenMeanwhile_IsWhatWasWritten()
    {
        Hash.Set("f"u8, "before"u8);
        var sink = new WritingSink(Store);

        Assert.Equal(ReadStatus.Found, Hash.Get("f"u8, ref sink));

        Assert.Equal((2, "after"), (sink.Calls, Encoding.Latin1.GetString(sink.Value)));
    }

    [Fact]
    public void AnyOperations_OnManyHashes_AreThoseOfDictionaries() => RandomSeed.Run(this, static seed =>
    {
        using var fixture = new StoreFixture();
        HashModel.Run(fixture, new Random(seed), 20_000);
    });

    [Fact]
    public void Operations_OnAHashThatIsThere_AllocateNothing()
    {
        Hash.Set("f"u8, "value 1"u8);
        byte[] room = new byte[100];

        long bytes = AllocatedBytes.LeastOf(() =>
        {
            for (int i = 0; i < 100; i++)
            {
                var sink = new SpanSink(room);
                Hash.Set("f"u8, i % 2 == 0 ? "value 2"u8 : "value of another length"u8);
                Assert.True(Hash.TryGet("f"u8, ref sink));
                Hash.Increment("n"u8, 1, out _);
                Hash.GetLength("f"u8, out _);
                Hash.Remove("n"u8);
                var count = default(CountingSink);
                Hash.GetAll(ref count);
            }
        });

        Assert.Equal(0, bytes);
    }

    private readonly ref struct SpanSink(Span<byte> room) : IValueSink
    {
        private readonly Span<byte> _room = room;

        public Span<byte> GetSpan(int length) => _room[..length];

        public void Advance(int length)
        {
        }
    }

    // Writes the field when it is first asked for a value.
    private struct WritingUpdate(CacheStore store) : IValueUpdate
    {
        private byte[] _value = [];

        public int Calls { get; private set; }

        public readonly int LengthMax => 100;

        public readonly ReadOnlySpan<byte> Value => _value;

        public bool TryMake(ReadOnlySpan<byte> present, bool exists)
        {
            _value = [.. present, (byte)'x'];
            if (Calls++ == 0)
                store.Hash("h"u8).Set("f"u8, "b"u8);
            return true;
        }
    }

    private struct LongestSink() : IValueSink
    {
        private static readonly byte[] _room = new byte[ushort.MaxValue];

        public int Longest { get; private set; }

        public Span<byte> GetSpan(int length)
        {
            Longest = Math.Max(Longest, length);
            return _room;
        }

        public readonly void Advance(int length)
        {
        }
    }

    // Writes the field once it is asked for room.
    private struct WritingSink(CacheStore store) : IValueSink
    {
        public int Calls { get; private set; }

        public byte[] Value { get; private set; } = [];

        public Span<byte> GetSpan(int length)
        {
            if (Calls++ == 0)
                store.Hash("h"u8).Set("f"u8, "after"u8);
            return Value = new byte[length];
        }

        public readonly void Advance(int length) => Assert.Equal(Value.Length, length);
    }

    private struct CountingSink : IFieldSink
    {
        public readonly bool IsFull => false;

        public int Count { get; private set; }

        public readonly void Begin(long count)
        {
        }

        public void Take(scoped ReadOnlySpan<byte> field, scoped ReadOnlySpan<byte> value) => Count++;
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
