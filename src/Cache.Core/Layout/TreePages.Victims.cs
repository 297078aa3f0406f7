using System.Diagnostics;

namespace Cache.Core.Layout;

/// <content>Slabs of which little is used, from which pages are moved until they are free.</content>
internal sealed unsafe partial class TreePages
{
    // Where the next look for victims begins. Guarded by the gate, like the lists.
    private int _nextLook = 1;

    /// <summary>The first slab whose pages are to be moved; 0: none.</summary>
    public int FirstVictim
    {
        get
        {
            lock (_gate)
                return _lists[0];
        }
    }

    /// <summary>Makes slabs victims of which less than a share is used, if others have room for the pages.</summary>
    /// <param name="share">The share, of one.</param>
    /// <param name="slabsMax">How many slabs are looked at; the next call continues behind them.</param>
    /// <returns>How many became victims.</returns>
    public int ChooseVictims(double share, int slabsMax)
    {
        Debug.Assert(share is >= 0 and <= 1);
        FlushCaches();
        int chosen = 0;
        lock (_gate)
        {
            for (int looks = Math.Min(slabsMax, _frontier - 1); looks > 0; looks--)
            {
                if (_nextLook >= _frontier)
                    _nextLook = 1;
                int slab = _nextLook++;
                if (IsWorthEvacuating(in InfoOf(slab), share))
                {
                    MakeVictim(slab);
                    chosen++;
                }
            }
        }

        // What was cached before it was a victim's: later ones are not.
        if (chosen != 0)
            FlushCaches();
        return chosen;
    }

    /// <summary>Ends the moving: what is left of the victims is used again.</summary>
    public void ReleaseVictims()
    {
        lock (_gate)
        {
            for (int slab = _lists[0]; slab != 0; slab = _lists[0])
            {
                ref var info = ref InfoOf(slab);
                Debug.Assert(info.State == SlabState.Victim);
                Unlink(slab, 0);
                info.State = info.FreeCount == 0 ? SlabState.Full : SlabState.Open;
                _victimPages[info.Grains] -= info.Used;
                _freePlaces[info.Grains] += info.FreeCount;
                if (info.State == SlabState.Open)
                    Link(slab, info.Grains);
            }
        }
    }

    /// <summary>Whether a page is to be moved: a hint for who holds its tree.</summary>
    public bool IsVictim(uint page)
    {
        Debug.Assert(page < (long)SlabCountMax * SlabGrains);
        return InfoOf(SlabOf(page)).State == SlabState.Victim;
    }

    /// <summary>Reads which pages of a victim are used.</summary>
    /// <param name="slab">The victim; if it is none any more, there are no pages.</param>
    /// <param name="pages">Room for <see cref="SlabGrains"/>.</param>
    /// <param name="next">The next victim; 0: none.</param>
    /// <returns>The number of pages.</returns>
    public int ReadVictim(int slab, Span<uint> pages, out int next)
    {
        Debug.Assert(pages.Length >= SlabGrains);
        int count = 0;
        lock (_gate)
        {
            ref var info = ref InfoOf(slab);
            next = 0;
            if (info.State != SlabState.Victim)
                return 0;
            next = info.Next;
            for (int place = 0; place < info.Capacity; place++)
            {
                if (info.IsUsed(place))
                    pages[count++] = (uint)(slab * (long)SlabGrains + place * info.Grains);
            }
        }

        return count;
    }

    // Pages that wait in other victims need room too.
    private bool IsWorthEvacuating(in SlabInfo info, double share) =>
        info.State == SlabState.Open && info.Used < share * info.Capacity
        && _freePlaces[info.Grains] - info.FreeCount >= _victimPages[info.Grains] + info.Used;

    private void MakeVictim(int slab)
    {
        ref var info = ref InfoOf(slab);
        Debug.Assert(info.State == SlabState.Open);
        Unlink(slab, info.Grains);
        _freePlaces[info.Grains] -= info.FreeCount;
        _victimPages[info.Grains] += info.Used;
        info.State = SlabState.Victim;
        Link(slab, 0);
    }
}
