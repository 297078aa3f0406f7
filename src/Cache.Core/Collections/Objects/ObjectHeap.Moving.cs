using Cache.Core.Collections.Trees;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Objects;

/// <content>Empties slabs of which little is used, by moving their pages into others.</content>
/// <remarks>
/// By the thread of the sweep alone. It holds an object for each page that it moves, some microseconds, which is a
/// change of the object for readers. Pages of snapshots, and those that wait to be freed, stay where they are.
/// </remarks>
internal sealed partial class ObjectHeap
{
    // Sizes of values that change leave slabs half used: 57 % in a prototype.
    private const double UsedShareMin = 0.9;

    // Slabs that are used less are emptied, if others have room for their pages.
    private const double VictimShareMax = 0.85;

    // Less is not worth it.
    private const int SlabsMin = 8;

    // Of one sweep: 64 MB are looked at, and at most 8 MB are moved, in some milliseconds.
    private const int SlabsLookedAt = 1_024;
    private const int PagesMovedMax = 2_048;

    // Lists of which a page was seen: a page of theirs does not tell where it is, so they are walked.
    private readonly HashSet<uint> _listsToMove = [];

    // A sweep that moved less than it might has met all victims.
    private void EmptySlabs()
    {
        if (Pages.FirstVictim == 0 && !TryChooseVictims())
            return;
        int moved = 0;
        bool isAll = true;
        Span<uint> pages = stackalloc uint[TreePages.SlabGrains];
        _listsToMove.Clear();
        for (int slab = Pages.FirstVictim; slab != 0 && isAll;)
        {
            int count = Pages.ReadVictim(slab, pages, out slab);
            for (int i = 0; i < count && isAll; i++)
            {
                moved += TryMove(pages[i]) ? 1 : 0;
                isAll = moved < PagesMovedMax && !_isClosed;
            }
        }

        foreach (uint number in _listsToMove)
        {
            for (uint rank = 0; isAll;)
            {
                moved += MoveOfList(number, ref rank);
                isAll = moved < PagesMovedMax && !_isClosed;
                if (rank == 0)
                    break;
            }
        }

        if (isAll)
            Pages.ReleaseVictims();
    }

    private bool TryChooseVictims()
    {
        long used = Pages.UsedBytes;
        return used > SlabsMin * (long)TreePages.SlabBytes
            && Pages.PageBytes < UsedShareMin * used
            && Pages.ChooseVictims(VictimShareMax, SlabsLookedAt) != 0;
    }

    // What the page says of itself is a hint: it may be another's by now.
    private bool TryMove(uint page)
    {
        uint number = Pages.Addresses[page].Owner;
        if (number == 0 || number >= Table.Frontier || !TryHold(number, out uint version))
            return false;
        bool isMoved = false;
        ref var info = ref Table[number];
        if (info.State == ObjectState.Used)
        {
            isMoved = info.Kind switch
            {
                EntryKind.List => _listsToMove.Add(number) && false,
                EntryKind.Set => TryMove<ByHash>(ref info, ref info.First, number, page),
                _ => TryMove<ByHashWithValue>(ref info, ref info.First, number, page)
                    || TryMove<ByScore>(ref info, ref info.Second, number, page),
            };
        }

        Table.LetGo(number, version, isMoved);
        return isMoved;
    }

    private bool TryMove<TOrder>(ref ObjectInfo info, ref TreeRoot root, uint number, uint page)
        where TOrder : struct, ITreeOrder =>
        new TreeWriter<TOrder>(Pages, ref root, ref info.Epochs, number).TryMove(page);

    // Some pages from an element on.
    private int MoveOfList(uint number, ref uint rank)
    {
        if (!TryHold(number, out uint version))
        {
            rank = 0;
            return 0;
        }

        int moved = 0;
        ref var info = ref Table[number];
        if (info.State == ObjectState.Used && info.Kind == EntryKind.List)
            moved = new TreeWriter<ByPosition>(Pages, ref info.First, ref info.Epochs, number).MoveFrom(ref rank);
        else
            rank = 0; // The number is another's.
        Table.LetGo(number, version, moved != 0);
        return moved;
    }
}
