using System.Diagnostics;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Trees;

/// <content>Removes elements, and saves the space that this leaves.</content>
internal ref partial struct TreeWriter<TOrder>
{
    // A page with less is merged with a neighbour, if both fit in one that has room for a quarter more.
    private const int MergedBelow = TreePage.SizeMax / 4;
    private const int MergedMax = TreePage.SizeMax * 3 / 4;

    // A page with so many free bytes becomes a shorter one, with some left for the next element.
    private const int ShrunkFrom = TreePage.GrainSize * 5 / 2;
    private const int RoomLeft = TreePage.GrainSize / 2;

    /// <summary>Removes an element.</summary>
    /// <remarks>It needs pages only while there is a snapshot, and the budget may overdraw for it.</remarks>
    public TreeChange Remove(ulong key, scoped ReadOnlySpan<byte> name)
    {
        Debug.Assert(TOrder.KeySize != 0, "Items are removed by their position.");
        if (_root.Page == 0)
            return TreeChange.None;
        var leaf = Descend(key, name);
        int index = Path[0].Index;
        return index < leaf.Count && leaf.IsAt(index, key, name) ? RemoveFound() : TreeChange.None;
    }

    /// <summary>Removes the element of a rank.</summary>
    public TreeChange RemoveAt(uint rank)
    {
        Debug.Assert(rank < _root.Count);
        DescendTo(rank);
        return RemoveFound();
    }

    private TreeChange RemoveFound()
    {
        PlanCopies();
        if (!Plan.TryTake(_pages, mayOverdraw: true))
            return TreeChange.NoRoom;
        CopyShared();
        ReleaseStubs();
        var leaf = LeafAt(Path[0].Page);
        leaf.RemoveAt(Path[0].Index);
        AddToCounts(1, -1);
        if (leaf.Count == 0)
            RemovePage(0);
        else if (leaf.LiveBytes < MergedBelow && _top > 0 && TryMerge(0))
            Tidy(1);
        else
            TryShrinkLeaf(leaf);
        return End(TreeChange.Removed, -1);
    }

    // Nothing is left of it.
    private void RemovePage(int level)
    {
        Drop(Path[level].Page);
        if (level == _top)
        {
            _root.Page = 0;
            return;
        }

        ref var step = ref Path[level + 1];
        if (InnerAt(step.Page).RemoveAt(step.Index).Count == 0)
            RemovePage(level + 1);
        else
            Tidy(level + 1);
    }

    // After an inner page has lost a child.
    private void Tidy(int level)
    {
        var inner = InnerAt(Path[level].Page);
        if (level == _top)
            Collapse();
        else if (inner.LiveBytes < MergedBelow && TryMerge(level))
            Tidy(level + 1);
    }

    // A root with one child is not needed. Further ones are not of the path: a snapshot may have them, and then needs
    // room to list them.
    private void Collapse()
    {
        while (_at[_root.Page].Level > 0 && InnerAt(_root.Page) is { Count: 1 } root
            && CanDrop(_root.Page, _root.Page))
        {
            uint child = root.ChildAt(0);
            Drop(_root.Page);
            _root.Page = child;
        }
    }

    private void TryShrinkLeaf(TreeLeaf<TOrder> leaf)
    {
        int live = leaf.LiveBytes;
        if (leaf.Page.Length - TreePage.HeaderSize - live < ShrunkFrom
            || !TryCreateSpare(TreePage.GrainsFor(live + RoomLeft), level: 0, out uint page))
        {
            return;
        }

        Copy(leaf, page);
        ReplacePage(0, page);
    }

    // With the neighbour to the right, else with that to the left: who removes in order leaves short pages there.
    private bool TryMerge(int level)
    {
        int index = Path[level + 1].Index;
        return TryMerge(level, index) || TryMerge(level, index - 1);
    }

    // Two neighbours. False if both are too long, or there is no page to merge them in.
    private bool TryMerge(int level, int left)
    {
        var parent = InnerAt(Path[level + 1].Page);
        if (left < 0 || left + 1 >= parent.Count)
            return false;
        uint first = parent.ChildAt(left), second = parent.ChildAt(left + 1);
        int live = level == 0
            ? LeafAt(first).LiveBytes + LeafAt(second).LiveBytes
            : InnerAt(first).LiveBytes + InnerAt(second).LiveBytes + parent.SizeOf(left + 1);
        if (live > MergedMax || !CanDrop(first, second)
            || !TryCreateSpare(TreePage.GrainsFor(live + RoomLeft), level, out uint merged))
        {
            return false;
        }

        if (level == 0)
            MergeLeaves(LeafAt(merged), LeafAt(first), LeafAt(second));
        else
            MergeInner(InnerAt(merged), InnerAt(first), InnerAt(second), parent, left + 1);
        parent.SetChild(left, merged);
        parent.SetCount(left, parent.CountAt(left) + parent.CountAt(left + 1));
        parent.RemoveAt(left + 1);
        Drop(first);
        Drop(second);
        return true;
    }

    private static void MergeLeaves(TreeLeaf<TOrder> merged, TreeLeaf<TOrder> first, TreeLeaf<TOrder> second)
    {
        merged.Append(first, 0, first.Count);
        merged.Append(second, 0, second.Count);
    }

    // What stood before the second page stands before its first child now.
    private static void MergeInner(
        TreeInner<TOrder> merged, TreeInner<TOrder> first, TreeInner<TOrder> second, TreeInner<TOrder> parent,
        int index)
    {
        merged = merged.Append(first, 0, first.Count);
        merged = merged.Insert(
            merged.Count, parent.KeyAt(index), parent.SeparatorAt(index), second.ChildAt(0), second.CountAt(0));
        merged.Append(second, 1, second.Count);
    }

    // A page that was not asked for: what it is for can be left undone.
    private bool TryCreateSpare(int grains, int level, out uint page)
    {
        if (!_pages.TryTake(grains, out page))
            return false;
        Initialize(page, grains, level);
        return true;
    }
}
