using System.Diagnostics;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Trees;

/// <summary>Changes a tree; its caller holds the collection.</summary>
/// <remarks>
/// A write descends, plans what happens to each page of its path, takes all pages that this needs, and only then
/// changes anything: without room it leaves the tree as it was. Pages that a snapshot has are copied first, from the
/// root down (TreeWriter.Sharing.cs). What only saves space, merging and shrinking, happens afterwards, if there is a
/// page for it.
///
/// Leaves grow by grains to 4 KB and are halved then, by bytes; at the ends of the tree a page stays full and the next
/// one begins, so that a tree which grows at an end has full pages. The last leaf grows ahead of its elements where the
/// tree is long enough not to notice. A page below 1 KB is merged with a neighbour if both fit in 3 KB.
/// </remarks>
internal ref partial struct TreeWriter<TOrder>
    where TOrder : struct, ITreeOrder
{
    /// <summary>The most elements.</summary>
    public const uint CountMax = uint.MaxValue;

    private const int BytesMax = TreePage.SizeMax - TreePage.HeaderSize;

    private readonly TreePages _pages;
    private readonly TreePageAddresses _at;
    private readonly ref TreeRoot _root;
    private readonly ref TreeEpochs _epochs;
    private readonly uint _owner;
    private readonly TreeScratch _scratch;
    private int _top; // The level of the root.

    public TreeWriter(TreePages pages, ref TreeRoot root, ref TreeEpochs epochs, uint owner)
    {
        _pages = pages;
        _at = pages.Addresses;
        _root = ref root;
        _epochs = ref epochs;
        _owner = owner;
        _scratch = TreeScratch.OfThread;
        _scratch.Plan.Clear(); // Something may have been thrown in the last one.
    }

    /// <summary>
    /// To how many bytes, slot and entry, an element may grow that is added at the end: where its page has no room for
    /// that, another one begins, rather than that it is halved when the element grows.
    /// </summary>
    public int GrownSizeMax { get; init; }

    private readonly ref TreePath Path => ref _scratch.Path;

    private readonly ref PagePlan Plan => ref _scratch.Plan;

    /// <summary>Adds an element, or replaces the value of the one with its key and name.</summary>
    public TreeChange Set(ulong key, scoped in TreeEntry entry)
    {
        AssertFits(in entry);
        if (_root.Page == 0)
            return AddFirst(key, in entry);
        var leaf = Descend(key, entry.OrderedName);
        int index = Path[0].Index;
        if (index >= leaf.Count || !leaf.IsAt(index, key, entry.OrderedName))
            return Add(key, in entry);
        return TOrder.HasValue ? Replace(key, in entry) : TreeChange.None;
    }

    /// <summary>Adds an element before that of a rank, or behind the last one.</summary>
    public TreeChange InsertAt(uint rank, scoped in TreeEntry entry)
    {
        Debug.Assert(TOrder.KeySize == 0, "Others have a place of their own.");
        Debug.Assert(rank <= _root.Count);
        AssertFits(in entry);
        if (_root.Page == 0)
            return AddFirst(0, in entry);
        DescendToGap(rank);
        return Add(0, in entry);
    }

    /// <summary>Replaces the element of a rank.</summary>
    public TreeChange SetAt(uint rank, scoped in TreeEntry entry)
    {
        Debug.Assert(TOrder.KeySize == 0, "Others are found by their names.");
        Debug.Assert(rank < _root.Count);
        AssertFits(in entry);
        DescendTo(rank);
        return Replace(0, in entry);
    }

    private static void AssertFits(in TreeEntry entry) =>
        Debug.Assert(
            entry.Name.Length + entry.Value.Length <= TreeEntry.LengthMax, "Longer ones are elsewhere, with a stub.");

    private readonly TreeLeaf<TOrder> LeafAt(uint page) => new(_at[page]);

    private readonly TreeInner<TOrder> InnerAt(uint page) => new(_at[page]);

    // To the leaf of an element, and its place there.
    private TreeLeaf<TOrder> Descend(ulong key, scoped ReadOnlySpan<byte> name)
    {
        if (TOrder.KeySize == sizeof(uint))
            return DescendByHash(key, name);
        uint page = Begin();
        for (int level = _top; level > 0; level--)
        {
            var inner = InnerAt(page);
            int index = inner.IndexOf(key, name);
            SetStep(level, page, index);
            page = inner.ChildAt(index);
        }

        var leaf = LeafAt(page);
        SetStep(0, page, leaf.IndexOf(key, name, leaf.Count));
        return leaf;
    }

    // Where hashes should be, if they are evenly spread (TreeReader.TryFindHash).
    private TreeLeaf<TOrder> DescendByHash(ulong key, scoped ReadOnlySpan<byte> name)
    {
        uint page = Begin();
        ulong low = 0, high = 1UL << 32;
        for (int level = _top; level > 0; level--)
        {
            var inner = InnerAt(page);
            int index = inner.GuessIndexOf(key, low, high);
            if (index > 0 && inner.KeyAt(index) == key && inner.HasSeparatorBytes(index))
                index = inner.IndexOf(key, name); // It has equal hashes on both sides.
            low = index > 0 ? inner.KeyAt(index) : low;
            high = index + 1 < inner.Count ? inner.KeyAt(index + 1) : high;
            high = Math.Max(high, low + 1);
            SetStep(level, page, index);
            page = inner.ChildAt(index);
        }

        var leaf = LeafAt(page);
        int count = leaf.Count, at = leaf.GuessIndexOf(key, low, high, count);
        while (at < count && leaf.KeyAt(at) == key && leaf.NameAt(at).SequenceCompareTo(name) < 0)
            at++;
        SetStep(0, page, at);
        return leaf;
    }

    private TreeLeaf<TOrder> DescendTo(uint rank)
    {
        uint page = Begin();
        for (int level = _top; level > 0; level--)
        {
            var inner = InnerAt(page);
            int index = inner.IndexOfRank(ref rank);
            SetStep(level, page, index);
            page = inner.ChildAt(index);
        }

        SetStep(0, page, (int)rank);
        return LeafAt(page);
    }

    // Behind the last element of a leaf rather than before the first one of the next.
    private void DescendToGap(uint rank)
    {
        if (rank == 0)
        {
            DescendTo(0);
            return;
        }

        DescendTo(rank - 1);
        Path[0].Index++;
    }

    private uint Begin()
    {
        _top = _at[_root.Page].Level;
        return _root.Page;
    }

    private void SetStep(int level, uint page, int index)
    {
        ref var step = ref Path[level];
        step.Page = page;
        step.Index = index;
    }

    private TreeChange AddFirst(ulong key, scoped in TreeEntry entry)
    {
        Debug.Assert(_root.Count == 0);
        Plan.Want(TreePage.GrainsFor(TreeLeaf<TOrder>.SizeOf(in entry)));
        if (!Plan.TryTake(_pages))
            return TreeChange.NoRoom;
        _root.Page = Create(TreePage.GrainsFor(TreeLeaf<TOrder>.SizeOf(in entry)), level: 0);
        LeafAt(_root.Page).Insert(0, key, in entry);
        CountStubs(in entry);
        return End(TreeChange.Added, 1);
    }

    private TreeChange Add(ulong key, scoped in TreeEntry entry)
    {
        if (_root.Count == CountMax || !TryPrepare(key, in entry, replaces: false))
            return TreeChange.NoRoom;
        Put(key, in entry, 1);
        CountStubs(in entry);
        return End(TreeChange.Added, 1);
    }

    private TreeChange Replace(ulong key, scoped in TreeEntry entry)
    {
        var old = LeafAt(Path[0].Page).EntryAt(Path[0].Index);
        if (old.SizeOf(TOrder.HasValue) == entry.SizeOf(TOrder.HasValue))
        {
            PlanCopies();
            if (!Plan.TryTake(_pages))
                return TreeChange.NoRoom;
            CopyShared();
            ReleaseStubs();
            CountStubs(in entry);
            LeafAt(Path[0].Page).Overwrite(Path[0].Index, in entry);
            return End(TreeChange.Replaced, 0);
        }

        if (!TryPrepare(key, in entry, replaces: true))
            return TreeChange.NoRoom;
        ReleaseStubs();
        CountStubs(in entry);
        if (Path[0].Action is not RoomAction.Halve)
            LeafAt(Path[0].Page).RemoveAt(Path[0].Index);
        Put(key, in entry, 0);
        return End(TreeChange.Replaced, 0);
    }

    // What is only wanted is known after this; then nothing can fail.
    private bool TryPrepare(ulong key, scoped in TreeEntry entry, bool replaces)
    {
        PlanCopies();
        if (!PlanRoom(key, in entry, replaces) || !Plan.TryTake(_pages))
        {
            Plan.Clear();
            return false;
        }

        CopyShared();
        return true;
    }

    private TreeChange End(TreeChange change, int by)
    {
        _root.Count = (uint)(_root.Count + by);
        Plan.GiveDropped(_pages);
        return change;
    }

    // A page of the plan.
    private uint Create(int grains, int level)
    {
        uint page = Plan.Next();
        Initialize(page, grains, level);
        return page;
    }

    private void Initialize(uint page, int grains, int level)
    {
        Debug.Assert(_pages.GrainsOf(page) == grains);
        _at[page].Initialize(grains, level, _epochs.Epoch, _owner);
        _epochs.MadeAt = _epochs.Epoch;
        _root.PageBytes += grains * TreePage.GrainSize;
    }

    // Puts a page in the place of one of the path.
    private void ReplacePage(int level, uint page)
    {
        Drop(Path[level].Page);
        Path[level].Page = page;
        Relink(level, page);
    }

    private readonly void Relink(int level, uint page)
    {
        if (level == _top)
            _root.Page = page;
        else
            InnerAt(Path[level + 1].Page).SetChild(Path[level + 1].Index, page);
    }

    private readonly void AddToCounts(int fromLevel, int by)
    {
        for (int level = fromLevel; level <= _top && by != 0; level++)
        {
            var inner = InnerAt(Path[level].Page);
            int index = Path[level].Index;
            inner.SetCount(index, (uint)(inner.CountAt(index) + by));
        }
    }
}
