using System.Diagnostics;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Trees;

/// <content>Plans how the pages of a path get room for one element more.</content>
internal ref partial struct TreeWriter<TOrder>
{
    // A leaf at the end is likely to grow again, and is copied each time: so it gets room in advance, of no more than
    // this share of what the tree has. A leaf of a tree of 64 KB has its whole length at once.
    private const int AdvanceShare = 16;

    // Hashes of 32 bits come anywhere, what is last among them as well as not.
    private static bool GrowsAtEnd => TOrder.KeySize != sizeof(uint);

    // What a page that was split adds to its parent.
    private readonly ref struct Separator(ulong key, ReadOnlySpan<byte> bytes)
    {
        public ulong Key { get; } = key;

        public ReadOnlySpan<byte> Bytes { get; } = bytes;
    }

    // False if the tree would be too high.
    private bool PlanRoom(ulong key, scoped in TreeEntry entry, bool replaces)
    {
        if (!PlanLeaf(in entry, replaces))
            return true;
        var separator = SeparatorOfLeaf(key, entry.OrderedName, replaces);
        for (int level = 1; level <= _top; level++)
        {
            if (!PlanInner(level, separator.Bytes))
                return true;
            separator = SeparatorOfInner(level, separator);
        }

        if (_top + 1 == TreePage.LevelsMax)
            return false;
        Plan.Want(GrainsOfRoot(separator.Bytes));
        return true;
    }

    private static int GrainsOfRoot(ReadOnlySpan<byte> separator) =>
        TreePage.GrainsFor(TreeInner<TOrder>.CellSize + TreeInner<TOrder>.SizeOf(separator));

    // Returns whether there will be another page.
    private bool PlanLeaf(scoped in TreeEntry entry, bool replaces)
    {
        ref var step = ref Path[0];
        var leaf = LeafAt(step.Page);
        int size = TreeLeaf<TOrder>.SizeOf(in entry);
        int live = leaf.LiveBytes + size - (replaces ? leaf.SizeOf(step.Index) : 0);
        int free = leaf.FreeBytes + (replaces ? TreeLeaf<TOrder>.SlotSize : 0);
        bool isLast = GrowsAtEnd && step.Index + 1 >= leaf.Count && IsAtEnd();
        int advance = isLast ? (int)Math.Min(_root.PageBytes / AdvanceShare, BytesMax) : 0;
        bool isAdded = isLast && !replaces && step.Index == leaf.Count;
        bool mayGrow = !isAdded || live - size + Math.Max(size, GrownSizeMax) <= BytesMax;
        if (mayGrow && TryPlanWithin(ref step, leaf.Page, size, live, free, advance))
            return false;
        if (isAdded)
        {
            Begin(ref step, RoomAction.BeginAfter, size + advance);
            return true;
        }

        if (!replaces && step.Index == 0 && IsAtBeginning())
        {
            Begin(ref step, RoomAction.BeginBefore, size);
            return true;
        }

        int left = 0, at = 0;
        while (left < live / 2)
            left += at == step.Index ? SizeThen(ref at, size) : leaf.SizeOf(OldIndex(at++, step.Index, replaces));
        PlanHalves(ref step, at, left, live - left);
        return true;
    }

    // The same for an inner page that gets a child behind that of the path.
    private bool PlanInner(int level, scoped ReadOnlySpan<byte> separator)
    {
        ref var step = ref Path[level];
        var inner = InnerAt(step.Page);
        int size = TreeInner<TOrder>.SizeOf(separator), place = step.Index + 1;
        int live = inner.LiveBytes + size;
        if (TryPlanWithin(ref step, inner.Page, size, live, inner.FreeBytes, advance: 0))
            return false;
        if (place == inner.Count && IsAtEnd(level + 1))
        {
            Begin(ref step, RoomAction.BeginAfter, TreeInner<TOrder>.CellSize);
            return true;
        }

        if (step.Index == 0 && IsAtBeginning(level + 1))
        {
            Begin(ref step, RoomAction.BeginBefore, TreeInner<TOrder>.CellSize);
            return true;
        }

        int left = 0, at = 0;
        while (left < live / 2)
            left += at == place ? SizeThen(ref at, size) : inner.SizeOf(OldIndex(at++, place, replaces: false));
        PlanHalves(ref step, at, left, live - left);
        return true;
    }

    private bool TryPlanWithin(ref PathStep step, TreePage page, int size, int live, int free, int advance)
    {
        step.Action = free >= size ? RoomAction.None
            : live <= page.Length - TreePage.HeaderSize ? RoomAction.Compact : RoomAction.Grow;
        if (live > BytesMax)
            return false;
        if (step.Action != RoomAction.Grow)
            return true;
        step.Grains = TreePage.GrainsFor(Math.Min(live + advance, BytesMax));
        Plan.Want(step.Grains);
        return true;
    }

    private void Begin(ref PathStep step, RoomAction action, int size)
    {
        step.Action = action;
        step.Grains = TreePage.GrainsFor(Math.Min(size, BytesMax));
        Plan.Want(step.Grains);
    }

    // No element is longer than a third of a page, so that both halves fit.
    private void PlanHalves(ref PathStep step, int at, int left, int right)
    {
        Debug.Assert(left > 0);
        Debug.Assert(right > 0);
        step.Action = RoomAction.Halve;
        step.SplitAt = at;
        step.Grains = TreePage.GrainsFor(left);
        step.RightGrains = TreePage.GrainsFor(right);
        Plan.Want(step.Grains);
        Plan.Want(step.RightGrains);
    }

    private static int SizeThen(ref int at, int size)
    {
        at++;
        return size;
    }

    // Where an element is now that will be at an index, once another one is added at a place, or replaced there.
    private static int OldIndex(int index, int place, bool replaces) => index < place || replaces ? index : index - 1;

    private readonly bool IsAtEnd(int fromLevel = 1)
    {
        for (int level = fromLevel; level <= _top; level++)
        {
            if (Path[level].Index != InnerAt(Path[level].Page).Count - 1)
                return false;
        }

        return true;
    }

    private readonly bool IsAtBeginning(int fromLevel = 1)
    {
        for (int level = fromLevel; level <= _top; level++)
        {
            if (Path[level].Index != 0)
                return false;
        }

        return true;
    }

    private readonly Separator SeparatorOfLeaf(ulong key, ReadOnlySpan<byte> name, bool replaces)
    {
        var step = Path[0];
        var leaf = LeafAt(step.Page);
        int at = step.Action switch
        {
            RoomAction.BeginAfter => step.Index,
            RoomAction.BeginBefore => 1,
            _ => step.SplitAt,
        };
        bool isRight = at == step.Index, isLeft = at - 1 == step.Index;
        int right = OldIndex(at, step.Index, replaces), left = OldIndex(at - 1, step.Index, replaces);
        ulong rightKey = isRight ? key : leaf.KeyAt(right);
        var bytes = TreeSeparator.Between<TOrder>(
            isLeft ? key : leaf.KeyAt(left), isLeft ? name : leaf.NameAt(left),
            rightKey, isRight ? name : leaf.NameAt(right));
        return new Separator(rightKey, bytes);
    }

    // That of the right half's first child; it came from below, or was in the page.
    private readonly Separator SeparatorOfInner(int level, Separator below)
    {
        var step = Path[level];
        int place = step.Index + 1;
        if (step.Action != RoomAction.Halve || step.SplitAt == place)
            return below;
        var inner = InnerAt(step.Page);
        int index = OldIndex(step.SplitAt, place, replaces: false);
        return new Separator(inner.KeyAt(index), inner.SeparatorAt(index));
    }
}
