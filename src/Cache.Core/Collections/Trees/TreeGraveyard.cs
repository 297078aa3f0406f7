using System.Diagnostics;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Trees;

/// <summary>Trees and lists of pages that nothing refers to, given back in bounded steps. Thread-safe.</summary>
/// <remarks>
/// Their pages count until they are given back. Linked by their first pages, so that burying one takes no memory. A
/// tree is buried when its collection is unreachable and no snapshot has a page of it.
/// </remarks>
internal sealed class TreeGraveyard(TreePages pages)
{
    /// <summary>The pages of one step: some microseconds.</summary>
    public const int StepPages = 64;

    /// <summary>The pages that who removes a tree gives back, so that a large one takes no longer.</summary>
    public const int RemovalPages = 4;

    /// <summary>So many stubs take as long as a page: what they stand for lies anywhere.</summary>
    public const int StubsPerPage = 4;

    // What a dead root is, in place of its epoch: a list, or the code of a tree's order.
    private const uint ListKind = 0x100;

    private readonly Lock _gate = new();
    private readonly TreePageAddresses _at = pages.Addresses;

    // The first of those that wait; guarded by the gate. Each has the next one in place of its owner.
    private uint _first;
    private int _count;

    /// <summary>How many trees and lists wait, or are being freed.</summary>
    public int Count => Volatile.Read(ref _count);

    /// <summary>Takes a tree over; the caller has made it unreachable.</summary>
    public void Bury<TOrder>(ref TreeRoot root)
        where TOrder : struct, ITreeOrder
    {
        if (root.Page != 0)
            Push(root.Page, (uint)TOrder.Code, isNew: true);
        root = default;
    }

    /// <summary>Takes a leaf with stubs over, which no tree has any more.</summary>
    public void BuryLeaf(uint page) => Push(page, (uint)_at[page].StubCode, isNew: true);

    /// <summary>Takes a list of pages over.</summary>
    public void BuryList(uint list) => Push(list, ListKind, isNew: true);

    /// <summary>Gives some pages back.</summary>
    /// <returns>Whether there is more to do for the caller.</returns>
    public bool Step(int pagesMax = StepPages)
    {
        for (int left = pagesMax; left > 0;)
        {
            uint first = Pop(out uint kind);
            if (first == 0)
                return false;
            left -= kind switch
            {
                ListKind => FreeList(ref first, left),
                1 => TreeEnd<ByHashWithValue>.Free(pages, ref first, left),
                2 => TreeEnd<ByHash>.Free(pages, ref first, left),
                3 => TreeEnd<ByScore>.Free(pages, ref first, left),
                4 => TreeEnd<ByNumber>.Free(pages, ref first, left),
                _ => TreeEnd<ByPosition>.Free(pages, ref first, left),
            };
            if (first != 0)
                Push(first, kind, isNew: false);
            else
                Interlocked.Decrement(ref _count); // Not before: what is being freed is not gone.
        }

        lock (_gate)
            return _first != 0;
    }

    private void Push(uint page, uint kind, bool isNew)
    {
        Debug.Assert(page != 0);
        var dead = _at[page];
        dead.Epoch = kind;
        lock (_gate)
        {
            dead.Owner = _first;
            _first = page;
            if (isNew)
                Interlocked.Increment(ref _count);
        }
    }

    private uint Pop(out uint kind)
    {
        lock (_gate)
        {
            uint page = _first;
            kind = 0;
            if (page == 0)
                return 0;
            kind = _at[page].Epoch;
            _first = _at[page].Owner;
            return page;
        }
    }

    // The pages of a list, then the list's own.
    private int FreeList(ref uint first, int pagesMax)
    {
        int freed = 0;
        while (first != 0 && freed < pagesMax)
        {
            var list = new PageList(_at[first]);
            while (list.Count > 0 && freed < pagesMax)
                freed += 1 + LeafStubs.Free(pages, list.TakeLast(out _)) / StubsPerPage;
            if (list.Count > 0)
                break;
            uint next = list.Next;
            pages.Give(first);
            first = next;
            freed++;
        }

        return freed;
    }
}
