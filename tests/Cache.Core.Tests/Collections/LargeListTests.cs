using System.Globalization;
using Cache.Core.Collections;
using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Collections;

/// <summary>Lists that are too long for a record.</summary>
public sealed class LargeListTests : IDisposable
{
    private const int Many = 3_000;

    private readonly StoreFixture _fixture = new();

    private CacheStore Store => _fixture.Store;

    private ListKey List => Store.List("l"u8);

    public void Dispose() => _fixture.Dispose();

    [Fact]
    public void Operations_InAnyOrder_AgreeWithListsOfNet()
    {
        int seed = Random.Shared.Next();
        TestContext.Current.TestOutputHelper?.WriteLine(string.Create(CultureInfo.InvariantCulture, $"Seed {seed}."));
        ListModel.Run(_fixture, new Random(seed), 30_000, isLarge: true);
    }

    [Fact]
    public void Push_OfManyElements_MakesALargeList()
    {
        Fill(Many);

        Assert.Equal((Many, 1), (List.Count, Store.State.Objects!.Count));
        Assert.Equal(EntryKind.List, Store.KindOf("l"u8));
        Assert.True(Store.TryPeekCollection("l"u8, out var info));
        Assert.Equal((Many, false), (info.Count, info.IsConverted)); // Redis has one encoding of lists.
        Assert.Equal("element 17", Text(List.GetArray(17)));
        Assert.Equal($"element {Many - 1}", Text(List.GetArray(-1)));
        Assert.Null(List.GetArray(Many));
        Assert.Null(List.GetArray(-Many - 1));
    }

    [Fact]
    public void Push_ToTheLeft_KeepsTheOrder()
    {
        Fill(Many, ListEnd.Left);
        Assert.Equal(Enumerable.Range(0, Many).Reverse().Select(static i => $"element {i}"), All());
        Assert.Equal(
            WriteStatus.ConditionNotMet, List.Push(ListEnd.Left, "x"u8, SetCondition.IfAbsent, out long count));
        Assert.Equal(WriteStatus.Done, List.Push(ListEnd.Left, "x"u8, SetCondition.IfPresent, out count));
        Assert.Equal(Many + 1, count);
        Store.AssertValid();
    }

    [Theory]
    [InlineData(ListEnd.Left)]
    [InlineData(ListEnd.Right)]
    public void Pop_OfMoreThanThereAre_TellsEachAndRemovesTheKey(ListEnd end)
    {
        Fill(Many);
        var popped = new ElementListSink();
        Assert.Equal(WriteStatus.Done, List.PopMany(end, 2 * Many, ref popped));
        var expected = Enumerable.Range(0, Many).Select(static i => $"element {i}");
        Assert.Equal(end == ListEnd.Left ? expected : expected.Reverse(), popped.Elements);
        Assert.Equal((Many, false), (popped.Count, Store.Contains("l"u8)));
        Assert.Equal(WriteStatus.NotFound, List.PopMany(end, 1, ref popped));
        AssertNoPages();
    }

    [Fact]
    public void Trim_KeepsARange_AndRemovesTheKeyWithoutOne()
    {
        Fill(Many);
        Assert.Equal(WriteStatus.Done, List.Trim(500, -501));
        Assert.Equal(Enumerable.Range(500, Many - 1_000).Select(static i => $"element {i}"), All());
        Store.AssertValid();
        Assert.Equal(WriteStatus.Done, List.Trim(1, 0));
        Assert.False(Store.Contains("l"u8));
        AssertNoPages();
    }

    [Fact]
    public void Remove_OfElementsInALongList_RemovesThoseThatAreAsked()
    {
        for (int i = 0; i < Many; i++)
            List.Push(ListEnd.Right, Bytes(i % 3 == 0 ? "x" : $"element {i}"));
        Assert.Equal(WriteStatus.Done, List.Remove("x"u8, 10, out long removed));
        Assert.Equal((10, "element 1", "element 2", "element 4"), (removed, Text(List.GetArray(0)),
            Text(List.GetArray(1)), Text(List.GetArray(2))));
        Assert.Equal(WriteStatus.Done, List.Remove("x"u8, -300, out removed));
        Assert.Equal((300, Many - 310), (removed, List.Count));
        Assert.Equal("element 2999", Text(List.GetArray(-1)));
        Assert.Equal("x", Text(List.GetArray(20)));
        Assert.Equal(WriteStatus.Done, List.Remove("x"u8, 0, out removed));
        Assert.Equal((Many / 3) - 310, removed);
        Assert.Equal(WriteStatus.NotFound, List.Remove("x"u8, 0, out removed));
        Assert.Equal(Enumerable.Range(0, Many).Where(static i => i % 3 != 0).Select(static i => $"element {i}"), All());
        Store.AssertValid();
    }

    [Fact]
    public void Remove_OfAllElements_RemovesTheKey()
    {
        for (int i = 0; i < Many; i++)
            List.Push(ListEnd.Right, "same"u8);
        Assert.Equal(WriteStatus.Done, List.Remove("same"u8, 0, out long removed));
        Assert.Equal((Many, false), (removed, Store.Contains("l"u8)));
        AssertNoPages();
    }

    [Fact]
    public void Insert_InALongList_FindsTheLeftmost()
    {
        Fill(Many);
        List.Push(ListEnd.Right, "element 2000"u8);
        Assert.Equal(WriteStatus.Done, List.InsertBefore("element 2000"u8, "before"u8, out long count));
        Assert.Equal(WriteStatus.Done, List.InsertAfter("element 2000"u8, "after"u8, out count));
        Assert.Equal(
            (Many + 3, "before", "element 2000", "after", "element 2001"),
            (count, Text(List.GetArray(2000)), Text(List.GetArray(2001)), Text(List.GetArray(2002)),
                Text(List.GetArray(2003))));
        Assert.Equal(WriteStatus.ConditionNotMet, List.InsertAfter("absent"u8, "x"u8, out count));
        Assert.Equal(Many + 3, count);
    }

    // Long ones lie in blocks: each operation that puts, tells, compares, moves or removes them.
    [Fact]
    public void LongElements_AreElementsAsOthers()
    {
        Fill(100);
        byte[] one = Long('a', 5_000), other = Long('b', 200_000);
        Assert.Equal(WriteStatus.Done, List.Push(ListEnd.Left, one));
        var two = new KeyArray(other, Bytes("short"), one);
        Assert.Equal(WriteStatus.Done, List.PushMany(ListEnd.Right, ref two, SetCondition.Always, out long count));
        Assert.Equal(104, count);
        Assert.Equal(one, List.GetArray(0));
        Assert.Equal(other, List.GetArray(101));
        Assert.Equal(104, All().Length);
        Assert.Equal(ReadStatus.Found, List.Find(other, out long index));
        Assert.Equal(101, index);
        Assert.Equal(WriteStatus.Done, List.Set(50, other));
        Assert.Equal(WriteStatus.Done, List.InsertBefore(other, one, out _));
        Assert.Equal(one, List.GetArray(50));
        Assert.Equal(other, List.GetArray(51));
        Store.AssertValid();
        var moved = default(ArraySink);
        Assert.Equal(WriteStatus.Done, List.Move(ListEnd.Left, "l"u8, ListEnd.Right, ref moved));
        Assert.Equal(one, moved.Array);
        Assert.Equal(one, List.GetArray(-1));
        Assert.Equal(WriteStatus.Done, List.Move(ListEnd.Right, "other"u8, ListEnd.Left, ref moved));
        Assert.Equal(one, Store.List("other"u8).GetArray(0));
        Assert.Equal(WriteStatus.Done, Store.Copy("l"u8, Store, "copy"u8, SetCondition.Always));
        Store.AssertValid();
        Assert.Equal(WriteStatus.Done, List.Remove(other, 0, out long removed));
        Assert.Equal(2, removed);
        var popped = new ElementListSink();
        Assert.Equal(WriteStatus.Done, List.PopMany(ListEnd.Right, 2, ref popped));
        Assert.Equal([Text(one)!, "short"], popped.Elements);
        Assert.Equal(other, Store.List("copy"u8).GetArray(50));
        foreach (string key in (string[])["l", "other", "copy"])
            Assert.True(Store.Remove(Bytes(key)));
        AssertNoPages();
    }

    [Fact]
    public void Move_BetweenListsOfBothForms_MovesEachElement()
    {
        Fill(Many);
        for (int i = 0; i < Many; i++)
        {
            var sink = default(ArraySink);
            Assert.Equal(WriteStatus.Done, List.Move(ListEnd.Left, "other"u8, ListEnd.Right, ref sink));
            Assert.Equal($"element {i}", Text(sink.Array));
        }

        Assert.Equal((0, Many), (List.Count, Store.List("other"u8).Count));
        Store.AssertValid();
    }

    [Fact]
    public void Replace_OfManyElements_MakesALargeList()
    {
        Store.Set("l"u8, "string"u8);
        var elements = new KeyArray(
            [.. Enumerable.Range(0, Many).Select(i => i == 7 ? Long('x', 70_000) : Bytes($"{i}"))]);
        Assert.Equal(WriteStatus.Done, List.Replace(ref elements));
        Assert.Equal(Many, List.Count);
        Assert.Equal(Long('x', 70_000), List.GetArray(7));
        Assert.Equal("8", Text(List.GetArray(8)));
        Store.AssertValid();
    }

    // A full store refuses a page between two of several elements: all of them or none.
    [Fact]
    public void PushAndTrim_InAFullStore_ChangeAllOrNothing()
    {
        using var fixture = new StoreFixture(static options =>
        {
            options.MemoryLimitBytes = 8 << 20;
            options.Eviction = EvictionPolicy.None;
        });
        var store = fixture.Store;
        var list = store.List("l"u8);
        var elements = new KeyArray(
            [.. Enumerable.Range(0, 100).Select(static i => Long('v', (10 * i) + (i % 9 == 0 ? 3_000 : 0)))]);
        long expected = 0;
        while (list.PushMany(ListEnd.Left, ref elements, SetCondition.Always, out long count) == WriteStatus.Done)
            expected = count;
        Assert.InRange(expected, 1_000, 20_000);
        Assert.Equal(0, expected % 100);
        Assert.Equal(expected, list.Count);
        store.AssertValid();
        Assert.Equal(WriteStatus.Done, list.Trim(0, 99));
        Assert.Equal(Enumerable.Range(0, 100).Reverse().Select(i => elements.GetKey(i).Length), Lengths(store));
        store.AssertValid();
    }

    private static IEnumerable<int> Lengths(CacheStore store)
    {
        var all = new ElementListSink();
        store.List("l"u8).GetRange(0, -1, ref all);
        return all.Elements.Select(static element => element.Length);
    }

    private static byte[] Long(char with, int length) => Bytes(new string(with, length));

    private static string? Text(byte[]? bytes) =>
        bytes is null ? null : System.Text.Encoding.Latin1.GetString(bytes);

    private void Fill(int count, ListEnd end = ListEnd.Right)
    {
        for (int i = 0; i < count; i++)
            Assert.Equal(WriteStatus.Done, List.Push(end, Bytes($"element {i}")));
    }

    private string[] All()
    {
        var all = new ElementListSink();
        List.GetRange(0, -1, ref all);
        Assert.Equal(all.Count, all.Elements.Count);
        return [.. all.Elements];
    }

    private void AssertNoPages()
    {
        Store.AssertValid();
        Assert.Equal((0, 0), (Store.State.Objects!.Count, Store.State.Objects!.UsedBytes));
    }
}
