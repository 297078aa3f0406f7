using System.Diagnostics;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Trees;

/// <content>Moves pages out of slabs that are to be freed.</content>
internal ref partial struct TreeWriter<TOrder>
{
    /// <summary>Moves a page of this tree that no snapshot has: a copy, and one number in its parent.</summary>
    /// <param name="page">A page of a victim; what is in it may be of another tree, and being written.</param>
    /// <returns>Whether it was moved.</returns>
    public bool TryMove(uint page)
    {
        Debug.Assert(TOrder.KeySize != 0, "A page of items does not tell where it is.");
        if (_root.Page == 0 || !TryDescendTo(page, out int level))
            return false;
        return TryMoveStep(level);
    }

    // Of one call: less than a tenth of a millisecond.
    private const int MovedMax = 16;

    /// <summary>Moves pages of victims below one inner page of level 1, and those above it; some at a time.</summary>
    /// <param name="rank">An element; becomes the one to go on with, 0 at the end.</param>
    /// <returns>How many were moved.</returns>
    public int MoveFrom(ref uint rank)
    {
        uint start = rank;
        rank = 0;
        if (start >= _root.Count)
            return 0;
        DescendTo(start);
        int moved = 0;
        for (int level = _top; level > 0; level--)
            moved += _pages.IsVictim(Path[level].Page) && TryMoveStep(level) ? 1 : 0;
        if (_top == 0)
            return _pages.IsVictim(Path[0].Page) && TryMoveStep(0) ? 1 : 0;
        var parent = InnerAt(Path[1].Page);
        uint inParent = (uint)Path[0].Index + parent.CountBefore(Path[1].Index);
        int place = 0;
        for (; place < parent.Count && moved < MovedMax; place++)
        {
            uint child = parent.ChildAt(place);
            if (!_pages.IsVictim(child))
                continue;
            SetStep(1, Path[1].Page, place);
            SetStep(0, child, 0);
            moved += TryMoveStep(0) ? 1 : 0;
        }

        uint next = start - inParent + parent.CountBefore(place);
        rank = next < _root.Count ? next : 0;
        return moved;
    }

    // By the first element below it. A page that is none of this tree may say anything.
    private bool TryDescendTo(uint page, out int level)
    {
        var below = _at[page];
        level = below.Level;
        _top = _at[_root.Page].Level;
        if (level > _top)
            return false;
        for (int i = level; i > 0; i--)
            below = _at[new TreeInner<TOrder>(below).ChildAt(0)];
        var leaf = new TreeLeaf<TOrder>(below);
        if (leaf.Count == 0)
            return false;
        Descend(leaf.KeyAt(0), leaf.NameAt(0));
        return Path[level].Page == page;
    }

    // A page that no snapshot has hangs from one that none has.
    private bool TryMoveStep(int level)
    {
        uint page = Path[level].Page;
        if (IsShared(page) || !_pages.TryTakeFromOpenSlab(_at[page].Grains, out uint copy))
            return false;
        _at[page].CopyTo(_at[copy]);
        Path[level].Page = copy;
        Relink(level, copy);
        _pages.Give(page);
        return true;
    }
}
