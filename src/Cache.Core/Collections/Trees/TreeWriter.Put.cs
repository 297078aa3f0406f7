using System.Diagnostics;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Trees;

/// <content>Does what was planned, from the leaf up.</content>
internal ref partial struct TreeWriter<TOrder>
{
    // The two pages that one was split into, for its parent.
    private ref struct Halves
    {
        public uint Left;
        public uint LeftCount;
        public uint Right;
        public uint RightCount;
        public Separator Separator;
    }

    // A value that replaces another one is written where the former was, which is removed unless the page is halved.
    private void Put(ulong key, scoped in TreeEntry entry, int by)
    {
        if (!IsSplit(Path[0].Action))
        {
            MakeRoom(ref Path[0]);
            LeafAt(Path[0].Page).Insert(Path[0].Index, key, in entry);
            AddToCounts(1, by);
            return;
        }

        var halves = SplitLeaf(key, in entry, replaces: by == 0);
        int level = 1;
        for (; level <= _top && IsSplit(Path[level].Action); level++)
            halves = SplitInner(level, halves);
        if (level > _top)
        {
            AddRoot(halves);
            return;
        }

        MakeRoom(level);
        var inner = InnerAt(Path[level].Page);
        LinkLeft(inner, Path[level].Index, halves);
        inner.Insert(
            Path[level].Index + 1, halves.Separator.Key, halves.Separator.Bytes, halves.Right, halves.RightCount);
        AddToCounts(level + 1, by);
    }

    private static bool IsSplit(RoomAction action) =>
        action is RoomAction.Halve or RoomAction.BeginAfter or RoomAction.BeginBefore;

    private static void LinkLeft(TreeInner<TOrder> inner, int index, in Halves halves)
    {
        inner.SetChild(index, halves.Left);
        inner.SetCount(index, halves.LeftCount);
    }

    private void MakeRoom(ref PathStep step)
    {
        var leaf = LeafAt(step.Page);
        if (step.Action == RoomAction.Compact)
            leaf.Compact();
        if (step.Action != RoomAction.Grow)
            return;
        uint page = Create(step.Grains, level: 0);
        Copy(leaf, page);
        ReplacePage(0, page);
    }

    private void MakeRoom(int level)
    {
        var step = Path[level];
        var inner = InnerAt(step.Page);
        if (step.Action == RoomAction.Compact)
            inner.Compact();
        if (step.Action != RoomAction.Grow)
            return;
        uint page = Create(step.Grains, level);
        InnerAt(page).Append(inner, 0, inner.Count);
        ReplacePage(level, page);
    }

    private readonly void Copy(TreeLeaf<TOrder> leaf, uint page)
    {
        var copy = LeafAt(page);
        if (leaf.Page.Garbage == 0)
            leaf.CopyTo(copy);
        else
            copy.Append(leaf, 0, leaf.Count);
    }

    private Halves SplitLeaf(ulong key, scoped in TreeEntry entry, bool replaces)
    {
        var step = Path[0];
        var old = LeafAt(step.Page);
        // From the page as it is now: it is not changed below.
        var separator = SeparatorOfLeaf(key, entry.OrderedName, replaces);
        if (step.Action != RoomAction.Halve)
        {
            uint begun = Create(step.Grains, level: 0);
            LeafAt(begun).Insert(0, key, in entry);
            bool isAfter = step.Action == RoomAction.BeginAfter;
            return new Halves
            {
                Left = isAfter ? step.Page : begun,
                LeftCount = isAfter ? (uint)old.Count : 1,
                Right = isAfter ? begun : step.Page,
                RightCount = isAfter ? 1 : (uint)old.Count,
                // Names of a caller's entry are as good as those of the page.
                Separator = WithBytesOf(isAfter ? begun : step.Page, separator),
            };
        }

        uint left = Create(step.Grains, level: 0), right = Create(step.RightGrains, level: 0);
        int all = old.Count + (replaces ? 0 : 1);
        Fill(LeafAt(left), old, 0, step.SplitAt, key, in entry, replaces);
        Fill(LeafAt(right), old, step.SplitAt, all, key, in entry, replaces);
        Drop(step.Page);
        return new Halves
        {
            Left = left,
            LeftCount = (uint)step.SplitAt,
            Right = right,
            RightCount = (uint)(all - step.SplitAt),
            Separator = WithBytesOf(right, separator),
        };
    }

    // The separator is a prefix of the right page's first name: of that page's bytes, which stay as long as the write.
    private readonly Separator WithBytesOf(uint right, scoped Separator separator) =>
        new(separator.Key, LeafAt(right).NameAt(0)[..separator.Bytes.Length]);

    // Elements of the old page, and the new one if its place is among them.
    private readonly void Fill(
        TreeLeaf<TOrder> leaf, TreeLeaf<TOrder> old, int from, int to, ulong key, scoped in TreeEntry entry,
        bool replaces)
    {
        int place = Path[0].Index;
        if (place < from || place >= to)
        {
            leaf.Append(old, OldIndex(from, place, replaces), OldIndex(to - 1, place, replaces) + 1);
            return;
        }

        leaf.Append(old, from, place);
        leaf.Insert(place - from, key, in entry);
        leaf.Append(old, replaces ? place + 1 : place, OldIndex(to - 1, place, replaces) + 1);
    }

    private Halves SplitInner(int level, Halves below)
    {
        var step = Path[level];
        int place = step.Index + 1;
        var separator = SeparatorOfInner(level, below.Separator);
        var old = InnerAt(step.Page);
        if (step.Action == RoomAction.BeginBefore)
            return SplitBefore(level, old, below);
        LinkLeft(old, step.Index, below);
        if (step.Action == RoomAction.BeginAfter)
        {
            uint begun = Create(step.Grains, level);
            InnerAt(begun).Insert(0, below.Separator.Key, default, below.Right, below.RightCount);
            return new Halves
            {
                Left = step.Page,
                LeftCount = old.CountBefore(old.Count),
                Right = begun,
                RightCount = below.RightCount,
                Separator = separator,
            };
        }

        uint left = Create(step.Grains, level), right = Create(step.RightGrains, level);
        uint leftCount = Fill(InnerAt(left), old, 0, step.SplitAt, place, below);
        uint rightCount = Fill(InnerAt(right), old, step.SplitAt, old.Count + 1, place, below);
        Drop(step.Page); // It goes back last, so that its separators can still be read.
        return new Halves
        {
            Left = left,
            LeftCount = leftCount,
            Right = right,
            RightCount = rightCount,
            Separator = separator,
        };
    }

    // The left half of what was split below goes to a page of its own; the right one stays the first child of this one.
    private Halves SplitBefore(int level, TreeInner<TOrder> old, Halves below)
    {
        var step = Path[level];
        Debug.Assert(step.Index == 0);
        uint begun = Create(step.Grains, level);
        InnerAt(begun).Insert(0, 0, default, below.Left, below.LeftCount);
        old.SetChild(0, below.Right);
        old.SetCount(0, below.RightCount);
        return new Halves
        {
            Left = begun,
            LeftCount = below.LeftCount,
            Right = step.Page,
            RightCount = old.CountBefore(old.Count),
            Separator = below.Separator,
        };
    }

    private static uint Fill(
        TreeInner<TOrder> inner, TreeInner<TOrder> old, int from, int to, int place, scoped in Halves below)
    {
        if (place < from || place >= to)
        {
            inner = inner.Append(
                old, OldIndex(from, place, replaces: false), OldIndex(to - 1, place, replaces: false) + 1);
        }
        else
        {
            inner = inner.Append(old, from, place);
            inner = inner.Insert(
                place - from, below.Separator.Key, below.Separator.Bytes, below.Right, below.RightCount);
            inner = inner.Append(old, place, to - 1);
        }

        Debug.Assert(inner.Count == to - from);
        return inner.CountBefore(inner.Count);
    }

    private void AddRoot(in Halves halves)
    {
        Debug.Assert(_top + 1 < TreePage.LevelsMax);
        uint page = Create(GrainsOfRoot(halves.Separator.Bytes), _top + 1);
        var root = InnerAt(page).Insert(0, 0, default, halves.Left, halves.LeftCount);
        root.Insert(1, halves.Separator.Key, halves.Separator.Bytes, halves.Right, halves.RightCount);
        _root.Page = page;
    }
}
