using Cache.Core.Collections;
using Cache.Testing;
using static Cache.Core.Tests.StoreFixture;

namespace Cache.Core.Tests.Collections;

/// <summary>Random operations on some lists, beside lists of .NET; large ones become small keys again.</summary>
internal sealed class ListModel(CacheStore store, Random random, bool isLarge)
{
    private const int Keys = 6;

    private readonly Dictionary<string, List<string>> _model = [];

    public static void Run(StoreFixture fixture, Random random, int operations, bool isLarge)
    {
        var model = new ListModel(fixture.Store, random, isLarge);
        for (int i = 0; i < operations; i++)
        {
            model.RunOne();
            if (isLarge && i % 2_000 == 0)
                fixture.Store.AssertValid();
        }
        for (int i = 0; i < Keys; i++)
            model.AssertSame($"key:{i}");
        Assert.Equal(model._model.Count, fixture.Store.Count);
        fixture.Store.AssertValid();
    }

    private void RunOne()
    {
        string key = $"key:{random.Next(Keys)}";
        var expected = _model.GetValueOrDefault(key) ?? [];
        _model[key] = expected;
        switch (random.Next(10))
        {
            case < 3:
                Push(key, expected);
                break;
            case 3:
                Pop(key, expected);
                break;
            case 4:
                Remove(key, expected);
                break;
            case 5:
                Insert(key, expected);
                break;
            case 6:
                Set(key, expected);
                break;
            case 7:
                Move(key, expected);
                break;
            case 8 when random.Next(isLarge ? 40 : 8) == 0:
                Trim(key, expected);
                break;
            case 8 when isLarge && random.Next(4) == 0:
                CopyOrRename(key, expected);
                break;
            case 8 when isLarge && random.Next(20) == 0:
                Assert.Equal(expected.Count > 0, store.Remove(Bytes(key)));
                expected.Clear();
                break;
            default:
                AssertSame(key);
                break;
        }

        foreach (string empty in _model.Where(static pair => pair.Value.Count == 0).Select(static pair => pair.Key))
            _model.Remove(empty);
    }

    // Few different ones, so that many are equal; some are empty, and some have their length before them.
    private string Element() => random.Next(isLarge ? 60 : 30) switch
    {
        2 when isLarge => new string((char)random.Next('a', 'e'), random.Next(1_200, 1_300)),
        3 when isLarge => new string((char)random.Next('a', 'e'), random.Next(1_400, 9_000)),
        > 30 => $"element {random.Next(200)}",
        0 => new string((char)random.Next('a', 'e'), random.Next(250, 300)),
        1 => "",
        _ => new string((char)random.Next('a', 'e'), random.Next(1, 3)),
    };

    private int Some(int most) => random.Next(1, isLarge && random.Next(4) == 0 ? 300 : most);

    private ListEnd End() => random.Next(2) == 0 ? ListEnd.Left : ListEnd.Right;

    private void Push(string key, List<string> expected)
    {
        string[] elements = [.. Enumerable.Range(0, Some(4)).Select(_ => Element())];
        var end = End();
        var source = new KeyArray([.. elements.Select(Bytes)]);
        var status = store.List(Bytes(key)).PushMany(end, ref source, SetCondition.Always, out long count);
        foreach (string element in elements)
            expected.Insert(end == ListEnd.Left ? 0 : expected.Count, element);
        Assert.Equal((WriteStatus.Done, expected.Count), (status, count));
    }

    private void Pop(string key, List<string> expected)
    {
        int count = Some(6);
        var end = End();
        var sink = new ElementListSink();
        var status = store.List(Bytes(key)).PopMany(end, count, ref sink);
        count = Math.Min(count, expected.Count);
        var taken = expected.GetRange(end == ListEnd.Left ? 0 : expected.Count - count, count);
        if (end == ListEnd.Right)
            taken.Reverse();
        expected.RemoveRange(end == ListEnd.Left ? 0 : expected.Count - count, count);
        Assert.Equal(count == 0 ? WriteStatus.NotFound : WriteStatus.Done, status);
        Assert.Equal(taken, sink.Elements);
        Assert.Equal(count == 0 ? -1 : count, sink.Count);
    }

    private void Remove(string key, List<string> expected)
    {
        string element = Element();
        int count = random.Next(-3, 4);
        var indexes = Enumerable.Range(0, expected.Count).Where(i => expected[i] == element).ToList();
        if (count < 0)
            indexes.Reverse();
        var removed = indexes.Take(count == 0 ? indexes.Count : Math.Abs(count)).OrderDescending().ToList();
        removed.ForEach(expected.RemoveAt);
        var status = store.List(Bytes(key)).Remove(Bytes(element), count, out long actual);
        Assert.Equal(removed.Count == 0 ? WriteStatus.NotFound : WriteStatus.Done, status);
        Assert.Equal(removed.Count, actual);
    }

    private void Insert(string key, List<string> expected)
    {
        string pivot = Element();
        string element = Element();
        bool isBefore = random.Next(2) == 0;
        var list = store.List(Bytes(key));
        var status = isBefore
            ? list.InsertBefore(Bytes(pivot), Bytes(element), out long count)
            : list.InsertAfter(Bytes(pivot), Bytes(element), out count);
        int index = expected.IndexOf(pivot);
        if (index >= 0)
            expected.Insert(isBefore ? index : index + 1, element);
        var wanted = expected.Count == 0 ? WriteStatus.NotFound
            : index < 0 ? WriteStatus.ConditionNotMet
            : WriteStatus.Done;
        Assert.Equal((wanted, expected.Count), (status, count));
    }

    private void Set(string key, List<string> expected)
    {
        string element = Element();
        int index = random.Next(-expected.Count - 2, expected.Count + 2);
        var status = store.List(Bytes(key)).Set(index, Bytes(element));
        int at = index < 0 ? index + expected.Count : index;
        bool isThere = at >= 0 && at < expected.Count;
        if (isThere)
            expected[at] = element;
        var wanted = expected.Count == 0 ? WriteStatus.NotFound
            : isThere ? WriteStatus.Done
            : WriteStatus.ConditionNotMet;
        Assert.Equal(wanted, status);
    }

    private void Move(string key, List<string> expected)
    {
        string other = $"key:{random.Next(Keys)}";
        var (from, to) = (End(), End());
        var sink = default(ArraySink);
        var status = store.List(Bytes(key)).Move(from, Bytes(other), to, ref sink);
        Assert.Equal(expected.Count == 0 ? WriteStatus.NotFound : WriteStatus.Done, status);
        if (expected.Count == 0)
            return;
        int index = from == ListEnd.Left ? 0 : expected.Count - 1;
        string element = expected[index];
        expected.RemoveAt(index);
        if (!_model.TryGetValue(other, out var target))
            _model[other] = target = [];
        target.Insert(to == ListEnd.Left ? 0 : target.Count, element);
        Assert.Equal(Bytes(element), sink.Array);
    }

    private void Trim(string key, List<string> expected)
    {
        int first = random.Next(-expected.Count - 1, expected.Count + 1);
        int last = random.Next(-expected.Count - 1, expected.Count + 1);
        var status = store.List(Bytes(key)).Trim(first, last);
        Assert.Equal(expected.Count == 0 ? WriteStatus.NotFound : WriteStatus.Done, status);
        var kept = RangeOf(expected, first, last);
        expected.Clear();
        expected.AddRange(kept);
    }

    private void CopyOrRename(string key, List<string> expected)
    {
        string other = $"key:{random.Next(Keys)}";
        bool isCopied = random.Next(2) == 0;
        var status = isCopied
            ? store.Copy(Bytes(key), store, Bytes(other), SetCondition.Always)
            : store.Rename(Bytes(key), Bytes(other), SetCondition.Always);
        Assert.Equal(expected.Count > 0 ? WriteStatus.Done : WriteStatus.NotFound, status);
        if (expected.Count == 0 || key == other)
            return;
        _model[other] = [.. expected];
        if (!isCopied)
            expected.Clear();
    }

    private static List<string> RangeOf(List<string> all, int first, int last)
    {
        first = Math.Max(first < 0 ? first + all.Count : first, 0);
        last = Math.Min(last < 0 ? last + all.Count : last, all.Count - 1);
        return first > last ? [] : all.GetRange(first, last - first + 1);
    }

    private void AssertSame(string key)
    {
        var list = store.List(Bytes(key));
        var expected = _model.GetValueOrDefault(key) ?? [];
        Assert.Equal(expected.Count, list.Count);
        var all = new ElementListSink();
        Assert.Equal(expected.Count == 0 ? ReadStatus.NotFound : ReadStatus.Found, list.GetRange(0, -1, ref all));
        Assert.Equal(expected, all.Elements);
        int reach = isLarge ? 400 : 10;
        int first = random.Next(-reach, reach);
        int last = random.Next(-reach, reach);
        var some = new ElementListSink();
        list.GetRange(first, last, ref some);
        Assert.Equal(RangeOf(expected, first, last), some.Elements);
        int index = random.Next(-10, 10);
        var one = RangeOf(expected, index, index);
        Assert.Equal(index < -expected.Count || one.Count == 0 ? null : Bytes(one[0]), list.GetArray(index));
        AssertFound(list, expected);
        var stored = default(ArraySink);
        if (store.TryPeekStored(Bytes(key), ref stored, out _))
            Assert.True(StoredCollection.IsWhole(EntryKind.List, stored.Array));
    }

    private void AssertFound(ListKey list, List<string> expected)
    {
        string element = Element();
        int rank = random.Next(1, 4) * (random.Next(2) == 0 ? 1 : -1);
        int count = random.Next(3);
        int compared = random.Next(3) == 0 ? random.Next(1, 20) : 0;
        var search = new ListSearch { Rank = rank, Count = count, ComparedMax = compared };
        var indexes = Enumerable.Range(0, expected.Count).Select(static i => (long)i);
        if (rank < 0)
            indexes = indexes.Reverse();
        if (compared > 0)
            indexes = indexes.Take(compared);
        indexes = indexes.Where(i => expected[(int)i] == element).Skip(Math.Abs(rank) - 1);
        if (count > 0)
            indexes = indexes.Take(count);
        var found = new IndexListSink();
        list.Find(Bytes(element), search, ref found);
        Assert.Equal(indexes, found.Indexes);
        Assert.Equal(expected.Count == 0 ? -1 : found.Indexes.Count, found.Count);
    }
}
