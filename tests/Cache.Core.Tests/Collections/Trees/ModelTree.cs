using System.Globalization;
using System.Text;
using Cache.Core.Collections.Trees;
using Cache.Core.Layout;

namespace Cache.Core.Tests.Collections.Trees;

/// <summary>A tree beside a sorted list of what it is to have, and an audit of every page.</summary>
internal sealed class ModelTree<TOrder> : IDisposable
    where TOrder : struct, ITreeOrder
{
    private const long Addresses = 256 << 20;
    private const uint Owner = 77;

    private readonly List<Snapshot> _snapshots = [];
    private TreeRoot _root;
    private TreeEpochs _epochs;
    private long _charged;

    public ModelTree(int cachedPerLength = 0)
    {
        var budget = new SlabBudget(
            (bytes, mayOverdraw) =>
            {
                if (_charged + bytes > LimitBytes + (mayOverdraw ? OverdraftBytes : 0))
                    return false;
                _charged += bytes;
                return true;
            },
            bytes => _charged -= bytes);
        Pages = new TreePages(Addresses, Addresses, budget, cachedPerLength, hugePages: false) { Stubs = Stubs };
        Graveyard = new TreeGraveyard(Pages);
    }

    public TreePages Pages { get; }

    public TreeGraveyard Graveyard { get; }

    public List<Element> Elements { get; } = [];

    public CountedStubs Stubs { get; } = new();

    public long LimitBytes { get; set; } = long.MaxValue;

    /// <summary>How much more removals may take.</summary>
    public long OverdraftBytes { get; set; }

    public int SnapshotCount => _snapshots.Count;

    /// <summary>The most levels that an audit has seen.</summary>
    public int HeightMax { get; private set; }

    public TreeRoot Root => _root;

    public uint Epoch => _epochs.Epoch;

    public TreeReader<TOrder> Reader => new(Pages.Addresses, _root.Page);

    private TreeWriter<TOrder> Writer => new(Pages, ref _root, ref _epochs, Owner);

    public void Dispose() => Pages.Dispose();

    public TreeChange Set(Element element)
    {
        int place = Elements.BinarySearch(element);
        Stubs.Take(element);
        var change = Writer.Set(element.Key, element.Entry);
        if (change is TreeChange.NoRoom or TreeChange.None)
            Stubs.TakeBack(element);
        if (change == TreeChange.NoRoom)
            return change;
        Assert.Equal(place < 0 ? TreeChange.Added : TOrder.HasValue ? TreeChange.Replaced : TreeChange.None, change);
        if (place < 0)
            Elements.Insert(~place, element);
        else if (TOrder.HasValue)
            Elements[place] = element;
        return change;
    }

    public TreeChange Remove(Element element)
    {
        int place = Elements.BinarySearch(element);
        var change = Writer.Remove(element.Key, element.Name);
        if (change == TreeChange.NoRoom)
            return change;
        Assert.Equal(place < 0 ? TreeChange.None : TreeChange.Removed, change);
        if (place >= 0)
            Elements.RemoveAt(place);
        return change;
    }

    public TreeChange InsertAt(int rank, Element element)
    {
        Stubs.Take(element);
        var change = Writer.InsertAt((uint)rank, element.Entry);
        if (change == TreeChange.NoRoom)
            Stubs.TakeBack(element);
        if (change != TreeChange.NoRoom)
            Elements.Insert(rank, element);
        return change;
    }

    public TreeChange SetAt(int rank, Element element)
    {
        Stubs.Take(element);
        var change = Writer.SetAt((uint)rank, element.Entry);
        if (change == TreeChange.NoRoom)
            Stubs.TakeBack(element);
        if (change != TreeChange.NoRoom)
            Elements[rank] = element;
        return change;
    }

    public TreeChange RemoveAt(int rank)
    {
        var change = Writer.RemoveAt((uint)rank);
        if (change != TreeChange.NoRoom)
            Elements.RemoveAt(rank);
        return change;
    }

    public bool TryTakeSnapshot()
    {
        if (!TreeSnapshots.TryTake(Pages, ref _epochs, Owner, out uint number))
            return false;
        _snapshots.Add(new Snapshot(number, _root, [.. Elements]));
        return true;
    }

    public void ReleaseSnapshot(int index)
    {
        for (bool more = TreeSnapshots.Release(Pages, ref _epochs, Graveyard, _snapshots[index].Number); more;)
            more = TreeSnapshots.TrySettle(Pages, in _epochs, Graveyard);
        _snapshots.RemoveAt(index);
    }

    public int MoveVictims()
    {
        int moved = 0;
        Span<uint> pages = stackalloc uint[TreePages.SlabGrains];
        for (int slab = TOrder.KeySize == 0 ? 0 : Pages.FirstVictim; slab != 0;)
        {
            int count = Pages.ReadVictim(slab, pages, out slab);
            foreach (uint page in pages[..count])
                moved += Writer.TryMove(page) ? 1 : 0;
        }

        uint rank = 0;
        do
            moved += TOrder.KeySize == 0 ? Writer.MoveFrom(ref rank) : 0;
        while (rank != 0);
        return moved;
    }

    public int MoveVictimsInOrder()
    {
        int moved = 0;
        uint rank = 0;
        do
            moved += Writer.MoveFrom(ref rank);
        while (rank != 0);
        return moved;
    }

    public void Build(IReadOnlyList<Element> elements)
    {
        var builder = new TreeBuilder<TOrder>(Pages, Owner);
        foreach (var element in elements)
        {
            Stubs.Take(element);
            Assert.True(builder.TryAdd(element.Key, element.Entry));
        }

        builder.Finish(ref _root);
        Elements.AddRange(elements);
    }

    public void Bury()
    {
        Graveyard.Bury<TOrder>(ref _root);
        Elements.Clear();
    }

    /// <summary>All that a write may change, in words: what a refused one leaves.</summary>
    public string Describe()
    {
        var text = new StringBuilder();
        text.Append(CultureInfo.InvariantCulture, $"{_root.Page} {_root.Count} {_root.PageBytes} ");
        text.Append(CultureInfo.InvariantCulture, $"{_epochs.Epoch} {_epochs.SharedBefore} {_epochs.Newest} ");
        text.Append(CultureInfo.InvariantCulture, $"{Pages.PageBytes} {Pages.UsedBytes}");
        var audit = new TreeAudit<TOrder>(Pages);
        audit.Check(in _root);
        foreach (uint number in audit.Pages.Concat(_snapshots.Select(static snapshot => snapshot.Number)).Order())
        {
            var page = Pages.Addresses[number];
            text.Append(CultureInfo.InvariantCulture, $"; {number} {page.Count} {page.HeapStart} {page.Garbage}");
            text.Append(CultureInfo.InvariantCulture, $" {page.Level} {page.Epoch}");
        }

        return text.ToString();
    }

    /// <summary>Every page, the accounts, and what a reader finds in the whole tree and its snapshots.</summary>
    public void Check()
    {
        var audit = new TreeAudit<TOrder>(Pages);
        audit.Check(in _root);
        HeightMax = Math.Max(HeightMax, audit.Height);
        AssertElements(Reader, Elements);
        var known = new HashSet<uint>(audit.Pages);
        foreach (var snapshot in _snapshots)
        {
            AddList(snapshot.Number, known);
        }

        foreach (var snapshot in _snapshots)
        {
            var kept = new TreeAudit<TOrder>(Pages);
            kept.Check(snapshot.Root);
            Assert.True(known.IsSupersetOf(kept.Pages), "A page of a snapshot is of no list.");
            AssertElements(new TreeReader<TOrder>(Pages.Addresses, snapshot.Root.Page), snapshot.Elements);
        }

        while (Graveyard.Step())
        {
        }

        Assert.Equal(
            CountStubs(known).OrderBy(static stub => stub.Key, StringComparer.Ordinal),
            Stubs.References.OrderBy(static stub => stub.Key, StringComparer.Ordinal));
        Pages.FlushCaches();
        Assert.Equal(known.Count, Pages.Audit());
        Assert.Equal(_charged, Pages.UsedBytes);
        foreach (uint page in audit.Pages)
            Assert.Equal(Owner, Pages.Addresses[page].Owner);
    }

    // Each stub in a page has one reference.
    private Dictionary<string, int> CountStubs(HashSet<uint> pages)
    {
        var references = new Dictionary<string, int>();
        foreach (uint page in pages.Where(page => Pages.Addresses[page].MayHaveStubs))
        {
            var leaf = new TreeLeaf<TOrder>(Pages.Addresses[page]);
            for (int i = 0; i < leaf.Count; i++)
            {
                var entry = leaf.EntryAt(i);
                if (entry.IsNameStub)
                    Count(references, ElementStub.EndOf(entry.Name));
                if (entry.IsValueStub)
                    Count(references, entry.Value);
            }
        }

        return references;
    }

    private static void Count(Dictionary<string, int> references, ReadOnlySpan<byte> stub)
    {
        string name = Convert.ToHexString(stub);
        references[name] = references.GetValueOrDefault(name) + 1;
    }

    private static void AssertElements(TreeReader<TOrder> reader, List<Element> elements)
    {
        var cursor = reader.At(0);
        foreach (var element in elements)
        {
            Assert.True(cursor.IsValid, "The tree ends too early.");
            Assert.Equal(element.Key, cursor.Key);
            element.AssertIs(cursor.Entry);
            cursor.MoveNext();
        }

        Assert.False(cursor.IsValid, "The tree has more elements.");
    }

    private void AddList(uint number, HashSet<uint> known)
    {
        for (; number != 0; number = new PageList(Pages.Addresses[number]).Next)
        {
            Assert.True(known.Add(number), "A list's page has two referrers.");
            var list = new PageList(Pages.Addresses[number]);
            for (int i = 0; i < list.Count; i++)
                Assert.True(known.Add(list[i].Page), "A retired page has two referrers.");
        }
    }

    private sealed record Snapshot(uint Number, TreeRoot Root, List<Element> Elements);
}
