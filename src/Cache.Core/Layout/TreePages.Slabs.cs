using System.Diagnostics;

namespace Cache.Core.Layout;

/// <content>The lists of slabs, all guarded by the gate.</content>
internal sealed unsafe partial class TreePages
{
    // The first slab of each list: of those with a free page by the length of their pages; 0: the victims.
    private readonly int[] _lists = new int[TreePage.GrainsMax + 1];

    // By length: free pages of listed slabs, used pages of victims.
    private readonly long[] _freePlaces = new long[TreePage.GrainsMax + 1];
    private readonly long[] _victimPages = new long[TreePage.GrainsMax + 1];

    // Slabs that are in no use, in lists of their own: with memory, and without.
    private int _firstSpare;
    private int _firstUnused;
    private int _frontier = 1;
    private int _spareCount;
    private int _slabsInUse;
    private long _grainsInUse;

    /// <summary>Gives the memory of some slabs without pages back to the system.</summary>
    /// <param name="keptBytes">How much may stay.</param>
    /// <param name="slabsMax">How many calls of the system are made at most.</param>
    /// <returns>The bytes that were given back.</returns>
    public long DropSpare(long keptBytes, int slabsMax)
    {
        long dropped = 0;
        for (; slabsMax > 0; slabsMax--)
        {
            int slab;
            lock (_gate)
            {
                if (_spareCount * (long)SlabLength <= keptBytes)
                    break;
                slab = _firstSpare;
                _firstSpare = InfoOf(slab).Next;
                InfoOf(slab).State = SlabState.Leaving;
                _spareCount--;
            }

            // Where the system cannot take it, it keeps its content: harmless.
            _ = _reservation.TryDiscard((long)slab * SlabLength, SlabLength);
            dropped += SlabLength;
            lock (_gate)
            {
                Debug.Assert(InfoOf(slab).State == SlabState.Leaving);
                InfoOf(slab) = new SlabInfo { State = SlabState.Unused, Next = _firstUnused };
                _firstUnused = slab;
            }
        }

        return dropped;
    }

    private bool TryTakeFromNewSlab(int grains, bool mayOverdraw, out uint page)
    {
        page = 0;
        if (!_budget.TryTake(SlabBytes, mayOverdraw))
            return false;
        lock (_gate)
        {
            int slab = _isDisposed ? 0 : FindUnused();
            if (slab != 0)
            {
                InfoOf(slab) = new SlabInfo { Grains = (byte)grains, State = SlabState.Open };
                _slabsInUse++;
                _freePlaces[grains] += InfoOf(slab).Capacity;
                Link(slab, grains);
                page = TakePlace(slab);
            }
        }

        if (page == 0)
            _budget.Give(SlabBytes);
        return page != 0;
    }

    // Of the gate's holder: a slab that is in no list any more; 0: there are no addresses.
    private int FindUnused()
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        int slab = _firstSpare;
        if (slab != 0)
        {
            _firstSpare = InfoOf(slab).Next;
            _spareCount--;
            return slab;
        }

        slab = _firstUnused;
        if (slab != 0)
        {
            _firstUnused = InfoOf(slab).Next;
            return slab;
        }

        return _frontier < SlabCountMax ? _frontier++ : 0;
    }

    private uint TakePlace(int slab)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        ref var info = ref InfoOf(slab);
        Debug.Assert(info.State == SlabState.Open);
        int place = info.TakePlace();
        _grainsInUse += info.Grains;
        _freePlaces[info.Grains]--;
        if (info.FreeCount == 0)
        {
            Unlink(slab, info.Grains);
            info.State = SlabState.Full;
        }

        return (uint)(slab * (long)SlabGrains + place * info.Grains);
    }

    private void GiveToSlab(uint page)
    {
        bool isFree;
        int slab = SlabOf(page);
        lock (_gate)
        {
            ref var info = ref InfoOf(slab);
            Debug.Assert(page % SlabGrains % info.Grains == 0, "A page begins where its slab was cut.");
            info.GivePlace((int)(page % SlabGrains) / info.Grains);
            _grainsInUse -= info.Grains;
            if (info.State == SlabState.Victim)
                _victimPages[info.Grains]--;
            else
                Reopen(slab);
            isFree = info.Used == 0;
            if (isFree)
                Free(slab);
        }

        if (isFree)
            _budget.Give(SlabBytes);
    }

    // A page more can be taken of it.
    private void Reopen(int slab)
    {
        ref var info = ref InfoOf(slab);
        Debug.Assert(info.State is SlabState.Open or SlabState.Full);
        _freePlaces[info.Grains]++;
        if (info.State == SlabState.Open)
            return;
        info.State = SlabState.Open;
        Link(slab, info.Grains);
    }

    private void Free(int slab)
    {
        ref var info = ref InfoOf(slab);
        Debug.Assert(info.Used == 0 && info.CountUsedBits() == 0);
        if (info.State == SlabState.Open)
            _freePlaces[info.Grains] -= info.Capacity;
        Unlink(slab, info.State == SlabState.Victim ? 0 : info.Grains);
        info = new SlabInfo { State = SlabState.Spare, Next = _firstSpare };
        _firstSpare = slab;
        _spareCount++;
        _slabsInUse--;
    }

    private void Link(int slab, int list)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        ref var info = ref InfoOf(slab);
        info.Previous = 0;
        info.Next = _lists[list];
        if (info.Next != 0)
            InfoOf(info.Next).Previous = slab;
        _lists[list] = slab;
    }

    private void Unlink(int slab, int list)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        ref var info = ref InfoOf(slab);
        Debug.Assert(info.Previous != 0 || _lists[list] == slab);
        if (info.Previous != 0)
            InfoOf(info.Previous).Next = info.Next;
        else
            _lists[list] = info.Next;
        if (info.Next != 0)
            InfoOf(info.Next).Previous = info.Previous;
    }
}
