namespace Cache.Core.Layout;

/// <content>Compares the accounts with the slabs.</content>
internal sealed unsafe partial class TreePages
{
    /// <summary>Whether a page is out, or in a cache; for audits.</summary>
    public bool IsOut(uint page)
    {
        lock (_gate)
        {
            if (page < SlabGrains || SlabOf(page) >= _frontier)
                return false;
            ref var info = ref InfoOf(SlabOf(page));
            int grain = (int)(page % SlabGrains);
            return info.Used != 0 && grain % info.Grains == 0 && grain / info.Grains < info.Capacity
                && info.IsUsed(grain / info.Grains);
        }
    }

    /// <summary>Goes to the next page that is out, or in a cache; the first one after 0.</summary>
    /// <remarks>For the disposal: nobody takes or gives pages meanwhile.</remarks>
    public bool TryFindOut(ref uint page)
    {
        lock (_gate)
        {
            uint next = page == 0 ? SlabGrains : page + InfoOf(SlabOf(page)).Grains;
            while (SlabOf(next) < _frontier)
            {
                ref var info = ref InfoOf(SlabOf(next));
                int grain = (int)(next % SlabGrains);
                if (info.Used == 0 || grain / info.Grains >= info.Capacity)
                {
                    next = (uint)(SlabOf(next) + 1) * SlabGrains;
                    continue;
                }

                if (info.IsUsed(grain / info.Grains))
                {
                    page = next;
                    return true;
                }

                next += info.Grains;
            }

            return false;
        }
    }

    /// <summary>Throws unless every slab is where its state says, and the sums are those of the slabs.</summary>
    /// <returns>How many pages are out; those of the caches are among them unless they were flushed.</returns>
    /// <exception cref="InvalidOperationException">Something does not add up.</exception>
    public long Audit()
    {
        lock (_gate)
        {
            var sums = new AuditSums();
            for (int slab = 1; slab < _frontier; slab++)
                sums.Add(slab, in InfoOf(slab));
            Require(sums.InUse == _slabsInUse, $"{sums.InUse} slabs are in use, {_slabsInUse} are counted");
            Require(sums.Spare == _spareCount, $"{sums.Spare} slabs are spare, {_spareCount} are counted");
            Require(sums.Grains == _grainsInUse, $"{sums.Grains} grains are in use, {_grainsInUse} are counted");
            for (int list = 0; list < _lists.Length; list++)
            {
                int listed = CountListed(list);
                Require(listed == sums.Listed[list], $"list {list} has {listed} slabs instead of {sums.Listed[list]}");
                Require(sums.FreePlaces[list] == _freePlaces[list], $"free pages of {list} grains");
                Require(sums.VictimPages[list] == _victimPages[list], $"victims' pages of {list} grains");
            }

            Require(CountChain(_firstSpare, SlabState.Spare) == sums.Spare, "the list of spare slabs");
            Require(CountChain(_firstUnused, SlabState.Unused) == sums.Unused, "the list of unused slabs");
            return sums.Pages;
        }
    }

    private static void Require(bool holds, string what)
    {
        if (!holds)
            throw new InvalidOperationException($"The pages of trees do not add up: {what}.");
    }

    private int CountListed(int list)
    {
        int count = 0;
        for (int slab = _lists[list], before = 0; slab != 0; before = slab, slab = InfoOf(slab).Next)
        {
            ref var info = ref InfoOf(slab);
            Require(info.Previous == before, $"slab {slab} does not know the one before");
            Require(list == 0 ? info.State == SlabState.Victim : info.State == SlabState.Open && info.Grains == list,
                $"slab {slab} is in the wrong list");
            Require(++count < _frontier, "a list has a circle");
        }

        return count;
    }

    private int CountChain(int first, SlabState state)
    {
        int count = 0;
        for (int slab = first; slab != 0; slab = InfoOf(slab).Next)
        {
            Require(InfoOf(slab).State == state, $"slab {slab} is in the wrong list");
            Require(++count < _frontier, "a list has a circle");
        }

        return count;
    }

    private sealed class AuditSums
    {
        public int InUse { get; private set; }

        public int Spare { get; private set; }

        public int Unused { get; private set; }

        public long Pages { get; private set; }

        public long Grains { get; private set; }

        public int[] Listed { get; } = new int[TreePage.GrainsMax + 1];

        public long[] FreePlaces { get; } = new long[TreePage.GrainsMax + 1];

        public long[] VictimPages { get; } = new long[TreePage.GrainsMax + 1];

        public void Add(int slab, in SlabInfo info)
        {
            if (info.State is SlabState.Spare or SlabState.Unused or SlabState.Leaving)
            {
                Spare += info.State == SlabState.Spare ? 1 : 0;
                Unused += info.State == SlabState.Unused ? 1 : 0;
                Require(info.Used == 0, $"slab {slab} has pages and is in no use");
                return;
            }

            InUse++;
            Pages += info.Used;
            Grains += info.Used * info.Grains;
            Require(info.CountUsedBits() == info.Used, $"slab {slab} has {info.Used} pages and other bits");
            Require(info.Used != 0, $"slab {slab} has no pages and is in use");
            Require((info.FreeCount == 0) == (info.State == SlabState.Full) || info.State == SlabState.Victim,
                $"slab {slab} has {info.FreeCount} free pages and is {info.State}");
            if (info.State == SlabState.Victim)
                VictimPages[info.Grains] += info.Used;
            if (info.State == SlabState.Open)
                FreePlaces[info.Grains] += info.FreeCount;
            if (info.State != SlabState.Full)
                Listed[info.State == SlabState.Victim ? 0 : info.Grains]++;
        }
    }
}
