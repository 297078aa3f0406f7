using System.Text;
using Cache.Core.Collections.Packed;
using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Collections;

public sealed class ListKeyTests : IDisposable
{
    private readonly StoreFixture _fixture = new();

    private CacheStore Store => _fixture.Store;

    private ListKey List => Store.List("l"u8);

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void Push_AtBothEnds_KeepsTheOrder()
    {
        Assert.Equal(WriteStatus.Done, List.Push(ListEnd.Right, "b"u8));
        Assert.Equal(WriteStatus.Done, List.Push(ListEnd.Left, "a"u8, SetCondition.Always, out long count));
        Assert.Equal(2, count);
        var more = new KeyArray(Bytes("c"), Bytes("d"));
        Assert.Equal(WriteStatus.Done, List.PushMany(ListEnd.Right, ref more, SetCondition.Always, out count));
        Assert.Equal(WriteStatus.Done, List.PushMany(ListEnd.Left, ref more, SetCondition.IfPresent, out count));

        Assert.Equal((6, EntryKind.List), (count, Store.KindOf("l"u8)));
        Assert.Equal("dcabcd", Text("l"));
        Assert.Equal("a"u8, List.GetArray(2)!);
        Assert.Equal("d"u8, List.GetArray(-1)!);
        Assert.Null(List.GetArray(6));
        Assert.Null(List.GetArray(-7));
        Assert.Null(List.GetArray(long.MinValue));
        Assert.Null(List.GetArray(long.MaxValue));
    }

    [Fact]
    public void Push_UnderAConditionThatDoesNotHold_ChangesNothing()
    {
        Assert.Equal(
            WriteStatus.ConditionNotMet, List.Push(ListEnd.Left, "a"u8, SetCondition.IfPresent, out long count));
        Assert.Equal(0, count);
        Assert.False(Store.Contains("l"u8));
        List.Push(ListEnd.Left, "a"u8);
        Assert.Equal(WriteStatus.ConditionNotMet, List.Push(ListEnd.Left, "b"u8, SetCondition.IfAbsent, out count));
        Assert.Equal((1, "a"), (count, Text("l")));
    }

    [Fact]
    public void Pop_OfTheLastElement_RemovesTheKey()
    {
        Fill("l", "abc");
        Assert.Equal("a"u8, List.PopArray(ListEnd.Left)!);
        Assert.Equal("c"u8, List.PopArray(ListEnd.Right)!);
        Assert.Equal("b"u8, List.PopArray(ListEnd.Right)!);

        Assert.Null(List.PopArray(ListEnd.Left));
        Assert.False(Store.Contains("l"u8));
        Assert.Equal(0, Store.Count);
        var sink = new ElementListSink();
        Assert.Equal(WriteStatus.NotFound, List.PopMany(ListEnd.Left, 5, ref sink));
        Assert.Equal(-1, sink.Count);
    }

    [Fact]
    public void PopMany_OfMoreThanThereAre_TakesAll()
    {
        Fill("l", "abcd");
        var some = new ElementListSink();
        Assert.Equal(WriteStatus.Done, List.PopMany(ListEnd.Right, 3, ref some));
        Assert.Equal((3, "dcb"), (some.Count, string.Concat(some.Elements)));
        some = new ElementListSink();
        Assert.Equal(WriteStatus.Done, List.PopMany(ListEnd.Left, long.MaxValue, ref some));
        Assert.Equal((1, "a"), (some.Count, string.Concat(some.Elements)));
        Assert.False(Store.Contains("l"u8));
    }

    [Fact]
    public void Move_BetweenTwoLists_ChangesBoth()
    {
        Fill("l", "abc");
        Assert.Equal((WriteStatus.Done, "c"), Move("l", ListEnd.Right, "m", ListEnd.Left));
        Assert.Equal((WriteStatus.Done, "a"), Move("l", ListEnd.Left, "m", ListEnd.Left));
        Assert.Equal((WriteStatus.Done, "b"), Move("l", ListEnd.Left, "m", ListEnd.Right));

        Assert.Equal("acb", Text("m"));
        Assert.False(Store.Contains("l"u8));
        Assert.Equal((WriteStatus.NotFound, null), Move("l", ListEnd.Left, "m", ListEnd.Right));
    }

    [Fact]
    public void Move_WithinAList_Rotates()
    {
        Fill("l", "abc");
        Assert.Equal((WriteStatus.Done, "c"), Move("l", ListEnd.Right, "l", ListEnd.Left));
        Assert.Equal("cab", Text("l"));
        Assert.Equal((WriteStatus.Done, "c"), Move("l", ListEnd.Left, "l", ListEnd.Left));
        Assert.Equal("cab", Text("l"));
        Assert.Equal((WriteStatus.NotFound, null), Move("absent", ListEnd.Left, "absent", ListEnd.Left));
    }

    [Fact]
    public void Move_ThatIsRefused_ChangesNeitherList()
    {
        Fill("l", "ab");
        Store.Set("s"u8, "string"u8);
        Assert.Equal((WriteStatus.WrongType, null), Move("l", ListEnd.Left, "s", ListEnd.Left));
        Assert.Equal((WriteStatus.WrongType, null), Move("s", ListEnd.Left, "l", ListEnd.Left));
        Assert.Equal((WriteStatus.NotFound, null), Move("absent", ListEnd.Left, "s", ListEnd.Left));

        Assert.Equal("ab", Text("l"));
        Assert.Equal("string"u8, Store.GetArray("s"u8)!);
    }

    [Fact]
    public void Move_InATransaction_IsPartOfIt()
    {
        Fill("l", "ab");
        KeyedTransaction.Run(Store, [Bytes("l"), Bytes("m")], 8, 400, static store =>
        {
            var sink = default(ArraySink);
            Assert.Equal(WriteStatus.Done, store.List("l"u8).Move(ListEnd.Left, "m"u8, ListEnd.Left, ref sink));
            Assert.Equal("a"u8, sink.Array!);
            Assert.Equal("a"u8, store.List("m"u8).GetArray(0)!);
            Assert.Equal(1, store.List("l"u8).Count);
        });

        Assert.Equal(("b", "a"), (Text("l"), Text("m")));
    }

    // No element is lost or there twice at any moment.
    [Fact]
    public void Move_ByManyThreads_LosesNothing()
    {
        const int Elements = 40;
        string[] keys = ["l", "m", "n"];
        for (int i = 0; i < Elements; i++)
            Store.List(Bytes(keys[i % 3])).Push(ListEnd.Left, Bytes($"{i}"));
        var store = Store;
        Parallel.For(0, 4, thread =>
        {
            var random = new Random(thread);
            for (int i = 0; i < 3_000; i++)
            {
                var sink = default(ArraySink);
                store.List(Bytes(keys[random.Next(3)])).Move(
                    (ListEnd)random.Next(2), Bytes(keys[random.Next(3)]), (ListEnd)random.Next(2), ref sink);
            }
        });

        var all = new ElementListSink();
        foreach (string key in keys)
            store.List(Bytes(key)).GetRange(0, -1, ref all);
        Assert.Equal(Enumerable.Range(0, Elements), all.Elements.Select(int.Parse).Order());
    }

    [Fact]
    public void Set_OfAnElement_ReplacesIt()
    {
        Fill("l", "abc");
        Assert.Equal(WriteStatus.Done, List.Set(0, "x"u8));
        Assert.Equal(WriteStatus.Done, List.Set(-1, new byte[300]));
        Assert.Equal(WriteStatus.Done, List.Set(-1, "z"u8));
        Assert.Equal(WriteStatus.ConditionNotMet, List.Set(3, "y"u8));
        Assert.Equal(WriteStatus.ConditionNotMet, List.Set(-4, "y"u8));
        Assert.Equal(WriteStatus.ConditionNotMet, List.Set(long.MinValue, "y"u8));
        Assert.Equal(WriteStatus.NotFound, Store.List("absent"u8).Set(0, "y"u8));
        Assert.Equal("xbz", Text("l"));
    }

    [Fact]
    public void Insert_BesideAnElement_FindsTheLeftmost()
    {
        Fill("l", "aba");
        Assert.Equal(WriteStatus.Done, List.InsertBefore("a"u8, "x"u8, out long count));
        Assert.Equal(WriteStatus.Done, List.InsertAfter("a"u8, "y"u8, out count));
        Assert.Equal((5, "xayba"), (count, Text("l")));
        Assert.Equal(WriteStatus.ConditionNotMet, List.InsertAfter("absent"u8, "y"u8, out count));
        Assert.Equal(5, count);
        Assert.Equal(WriteStatus.NotFound, Store.List("absent"u8).InsertAfter("a"u8, "y"u8, out count));
        Assert.Equal((0, "xayba"), (count, Text("l")));
    }

    [Theory]
    [InlineData(0, "bcb", 3)]
    [InlineData(2, "bcba", 2)]
    [InlineData(-2, "abcb", 2)]
    [InlineData(9, "bcb", 3)]
    [InlineData(long.MinValue, "bcb", 3)]
    [InlineData(long.MaxValue, "bcb", 3)]
    public void Remove_OfEqualElements_BeginsAtAnEnd(long count, string left, long removed)
    {
        Fill("l", "abacba"[..6]);
        Assert.Equal(WriteStatus.Done, List.Remove("a"u8, count, out long actual));
        Assert.Equal((removed, left), (actual, Text("l")));
        Assert.Equal(WriteStatus.NotFound, List.Remove("x"u8, count, out actual));
        Assert.Equal(0, actual);
    }

    [Fact]
    public void Find_OfAnElement_IsTheLeftmostByDefault()
    {
        Fill("l", "abcab");
        Assert.Equal(ReadStatus.Found, List.Find("b"u8, out long index));
        Assert.Equal(1, index);
        Assert.Equal(ReadStatus.NotFound, List.Find("x"u8, out index));
        Assert.Equal(-1, index);
        Assert.Equal(ReadStatus.NotFound, Store.List("absent"u8).Find("x"u8, out index));
        var far = new IndexListSink();
        List.Find("a"u8, new ListSearch { Rank = long.MaxValue, Count = long.MaxValue }, ref far);
        List.Find("a"u8, new ListSearch { Rank = long.MinValue, Count = long.MaxValue }, ref far);
        Assert.Empty(far.Indexes);
    }

    [Fact]
    public void Calls_WithArgumentsThatMeanNothing_Throw()
    {
        Assert.Throws<ArgumentOutOfRangeException>(() => List.Push((ListEnd)2, "a"u8));
        Assert.Throws<ArgumentOutOfRangeException>(() => List.PopArray((ListEnd)(-1)));
        Assert.Throws<ArgumentOutOfRangeException>(() => Move("l", (ListEnd)2, "m", ListEnd.Left));
        Assert.Throws<ArgumentOutOfRangeException>(() => Move("l", ListEnd.Left, "m", (ListEnd)2));
        Assert.Throws<ArgumentOutOfRangeException>(() => Find(new ListSearch { Rank = 0 }));
        Assert.Throws<ArgumentOutOfRangeException>(() => Find(new ListSearch { Count = -1 }));
        Assert.Throws<ArgumentOutOfRangeException>(() => Find(new ListSearch { ComparedMax = -1 }));
        Assert.Throws<ArgumentOutOfRangeException>(() =>
        {
            var sink = new ElementListSink();
            List.PopMany(ListEnd.Left, 0, ref sink);
        });
    }

    [Fact]
    public void Replace_OfAnyKind_MakesAListWithoutAnExpiry()
    {
        Store.Set("l"u8, "string"u8);
        Store.Expire("l"u8, Store.NowMs + 1_000, ExpireConditions.None);
        var elements = new KeyArray(Bytes("a"), Bytes("b"));
        Assert.Equal(WriteStatus.Done, List.Replace(ref elements));
        Assert.Equal("ab", Text("l"));
        Assert.True(Store.TryPeekInfo("l"u8, out var info));
        Assert.Equal((0, EntryKind.List), (info.ExpiresAtMs, info.Kind));
        var longer = new KeyArray(new byte[3_000], new byte[3_001]);
        Assert.Equal(WriteStatus.Done, List.Replace(ref longer));
        Assert.Equal((2, 3_001), (List.Count, List.GetArray(-1)!.Length));
        var none = new KeyArray([]);
        Assert.Equal(WriteStatus.Done, List.Replace(ref none));
        Assert.False(Store.Contains("l"u8));
    }

    [Fact]
    public void Writes_OfAKeyThatIsTooLong_SayIt()
    {
        byte[] key = new byte[CacheStore.KeyLengthMax + 1];
        var one = new KeyArray(Bytes("a"));
        Assert.Equal(WriteStatus.KeyTooLong, Store.List(key).Push(ListEnd.Left, "a"u8));
        Assert.Equal(WriteStatus.KeyTooLong, Store.List(key).Replace(ref one));
        Fill("l", "a");
        var sink = default(ArraySink);
        Assert.Equal(WriteStatus.KeyTooLong, List.Move(ListEnd.Left, key, ListEnd.Left, ref sink));
        Assert.Equal("a", Text("l"));
    }

    [Fact]
    public void Members_OfAKeyOfAnotherKind_SayItAndChangeNothing()
    {
        Store.Set("l"u8, "string"u8);
        var array = default(ArraySink);
        var elements = new ElementListSink();
        var indexes = new IndexListSink();

        Assert.Equal(ReadStatus.WrongType, List.GetCount(out _));
        Assert.Equal(0, List.Count);
        Assert.Equal(ReadStatus.WrongType, List.Get(0, ref array));
        Assert.Null(List.GetArray(0));
        Assert.Equal(ReadStatus.WrongType, List.GetRange(0, -1, ref elements));
        Assert.Equal(ReadStatus.WrongType, List.Find("a"u8, out _));
        Assert.Equal(ReadStatus.WrongType, List.Find("a"u8, new ListSearch(), ref indexes));
        Assert.Equal(WriteStatus.WrongType, List.Push(ListEnd.Left, "a"u8));
        Assert.Equal(WriteStatus.WrongType, List.Push(ListEnd.Left, "a"u8, SetCondition.IfPresent, out _));
        Assert.Equal(WriteStatus.WrongType, List.Pop(ListEnd.Left, ref array));
        Assert.Equal(WriteStatus.WrongType, List.PopMany(ListEnd.Left, 2, ref elements));
        Assert.Equal(WriteStatus.WrongType, List.Set(0, "a"u8));
        Assert.Equal(WriteStatus.WrongType, List.InsertBefore("a"u8, "b"u8, out _));
        Assert.Equal(WriteStatus.WrongType, List.InsertAfter("a"u8, "b"u8, out _));
        Assert.Equal(WriteStatus.WrongType, List.Remove("a"u8, 0, out _));
        Assert.Equal(WriteStatus.WrongType, List.Trim(0, 0));
        Assert.Equal((WriteStatus.WrongType, null), Move("l", ListEnd.Left, "l", ListEnd.Right));

        Assert.Equal((-1, -1), (elements.Count, indexes.Count));
        Assert.Equal("string"u8, Store.GetArray("l"u8)!);
    }

    [Fact]
    public void Push_OfAnElementBeyondTheLongestValue_IsRefusedAndChangesNothing()
    {
        Fill("l", "a");
        byte[] longest = new byte[Store.ValueLengthLimit + 1];
        Assert.Equal(WriteStatus.ValueTooLong, List.Push(ListEnd.Left, longest));
        var elements = new KeyArray(Bytes("b"), longest);
        Assert.Equal(
            WriteStatus.ValueTooLong, List.PushMany(ListEnd.Right, ref elements, SetCondition.Always, out long count));
        Assert.Equal(WriteStatus.ValueTooLong, List.Set(0, longest));
        Assert.Equal((0, "a"), (count, Text("l")));
        Assert.Equal(0, Store.GetStatistics().RefusedWrites);
        Store.AssertValid();
    }

    [Fact]
    public void Pop_InAFullStore_NeedsNoRoom()
    {
        using var fixture = new StoreFixture(static options =>
        {
            options.MemoryLimitBytes = CacheOptions.MemoryLimitMin;
            options.Eviction = EvictionPolicy.None;
        });
        var store = fixture.Store;
        for (int i = 0; i < 250; i++)
            Assert.Equal(WriteStatus.Done, store.List(Bytes($"l{i / 5}")).Push(ListEnd.Left, new byte[80]));
        for (int size = 300; size >= 1; size /= 3)
        {
            for (int i = 0; store.Set(Bytes($"fill {size} {i}"), new byte[size]) == WriteStatus.Done;)
                i++;
        }

        for (int i = 0; i < 250; i++)
            Assert.NotNull(store.List(Bytes($"l{i / 5}")).PopArray(ListEnd.Right));
    }

    [Fact]
    public void Keys_WithLists_AreRenamedCopiedMovedAndExpire()
    {
        Fill("l", "abc");
        Assert.Equal(WriteStatus.Done, Store.Copy("l"u8, Store, "copy"u8, SetCondition.Always));
        List.PopArray(ListEnd.Left);
        Assert.Equal(WriteStatus.Done, Store.Rename("l"u8, "name"u8, SetCondition.Always));
        Assert.Equal(WriteStatus.Done, Store.Move("name"u8, Store.SelectKeyspace(3)));
        Store.Expire("copy"u8, Store.NowMs + 1_000, ExpireConditions.None);
        Store.List("copy"u8).Push(ListEnd.Right, "d"u8);

        Assert.Equal("abcd", Text("copy"));
        Assert.Equal("b"u8, Store.SelectKeyspace(3).List("name"u8).GetArray(0)!);
        _fixture.Clock.Advance(1_001);
        Assert.Equal(0, Store.List("copy"u8).Count);
    }

    [Fact]
    public void AnyOperations_OnManyLists_AreThoseOfLists() => RandomSeed.Run(this, static seed =>
    {
        using var fixture = new StoreFixture();
        ListModel.Run(fixture, new Random(seed), 20_000, isLarge: false);
    });

    [Fact]
    public void Operations_OnAListThatIsThere_AllocateNothing()
    {
        Fill("l", "abcdef");
        byte[] room = new byte[100];

        long bytes = AllocatedBytes.LeastOf(() =>
        {
            for (int i = 0; i < 100; i++)
            {
                var sink = new SpanSink(room);
                List.Push(ListEnd.Left, "value"u8);
                List.Push(ListEnd.Right, "value"u8);
                Assert.True(List.Get(3, ref sink) == ReadStatus.Found);
                Assert.True(List.Pop(ListEnd.Left, ref sink) == WriteStatus.Done);
                Assert.True(List.Move(ListEnd.Left, "l"u8, ListEnd.Right, ref sink) == WriteStatus.Done);
                List.Set(1, "other"u8);
                List.InsertAfter("other"u8, "another"u8, out _);
                List.Remove("another"u8, 0, out _);
                List.Find("value"u8, out _);
                List.Trim(0, 5);
                var count = default(CountingSink);
                List.GetRange(0, -1, ref count);
            }
        });

        Assert.Equal(0, bytes);
    }

    private void Fill(string key, string elements)
    {
        foreach (char element in elements)
            Store.List(Bytes(key)).Push(ListEnd.Right, [(byte)element]);
    }

    private string Text(string key)
    {
        var sink = new ElementListSink();
        Store.List(Bytes(key)).GetRange(0, -1, ref sink);
        return string.Concat(sink.Elements);
    }

    private (WriteStatus Status, string? Element) Move(string from, ListEnd fromEnd, string to, ListEnd toEnd)
    {
        var sink = default(ArraySink);
        var status = Store.List(Bytes(from)).Move(fromEnd, Bytes(to), toEnd, ref sink);
        return (status, sink.Array is null ? null : Encoding.Latin1.GetString(sink.Array));
    }

    private void Find(ListSearch search)
    {
        var sink = new IndexListSink();
        List.Find("a"u8, search, ref sink);
    }

    private readonly ref struct SpanSink(Span<byte> room) : IValueSink
    {
        private readonly Span<byte> _room = room;

        public Span<byte> GetSpan(int length) => _room[..length];

        public void Advance(int length)
        {
        }
    }

    private struct CountingSink : IElementSink
    {
        public readonly bool IsFull => false;

        public int Count { get; private set; }

        public readonly void Begin(long count)
        {
        }

        public void Take(scoped ReadOnlySpan<byte> element) => Count++;
    }
}
