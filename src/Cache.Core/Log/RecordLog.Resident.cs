using Cache.Core.Layout;

namespace Cache.Core.Log;

/// <summary>The memory of free segments: not counted against the limit, and given back to the system.</summary>
internal sealed partial class RecordLog
{
    // Free segments that may still have memory; interlocked.
    private int _residentFreeCount;

    // Where the search for the next one begins; any value will do.
    private int _discardNext = 1;

    /// <summary>The bytes of system memory that free segments may still have.</summary>
    public long ResidentFreeBytes => (long)Volatile.Read(ref _residentFreeCount) * Capacity;

    /// <summary>The bytes of system memory that segments have before they are taken for the first time.</summary>
    public long AheadBytes => Math.Min(_segments.AheadBytes, Math.Max(0, _budget.LimitBytes - _budget.UsedBytes));

    /// <summary>
    /// The bytes of live records, and of the segments that they are in; about right beside writers.
    /// </summary>
    public (long Live, long All) SumSegments()
    {
        long live = 0;
        long all = 0;
        for (int segment = 1; segment < Frontier; segment++)
        {
            ref var info = ref this[segment];
            var state = StateOf(Volatile.Read(ref info.StateWord));
            if (state is SegmentState.Free or SegmentState.Continued)
                continue;
            live += Math.Max(0, Volatile.Read(ref info.Committed) - Volatile.Read(ref info.Dead));
            all += state == SegmentState.Active ? BytesOf(1, info.Start) : BytesOf(segment);
        }

        return (live, Math.Max(live, all));
    }

    /// <summary>
    /// Gives the memory of free segments back to the system, except for a few that will be used next.
    /// </summary>
    public void DiscardFree(int keepCount)
    {
        for (int i = Frontier - 1; i > 0 && Volatile.Read(ref _residentFreeCount) > keepCount; i--)
            TryDiscardFree(i);
        lock (_gate)
        {
            while (_frontier > 1 && this[_frontier - 1].Resident == 0
                && StateOf(Volatile.Read(ref this[_frontier - 1].StateWord)) == SegmentState.Free)
            {
                Volatile.Write(ref _frontier, _frontier - 1);
                Interlocked.Decrement(ref _freeCount);
            }

            _searchStart = Math.Min(_searchStart, _frontier);
        }
    }

    /// <summary>Gives up to this much memory of free segments back to the system.</summary>
    public void DiscardSomeFree(long bytes)
    {
        int frontier = Frontier;
        for (int i = 1; i < frontier && bytes > 0 && Volatile.Read(ref _residentFreeCount) > 0; i++)
        {
            int segment = Volatile.Read(ref _discardNext);
            segment = segment < frontier ? segment : 1;
            Volatile.Write(ref _discardNext, segment + 1);
            if (TryDiscardFree(segment))
                bytes -= Capacity;
        }
    }

    // The system takes a while for two megabytes, and no thread should wait for it: so the segment is claimed
    // meanwhile.
    private bool TryDiscardFree(int segment)
    {
        ref var info = ref this[segment];
        if (StateOf(Volatile.Read(ref info.StateWord)) != SegmentState.Free || Volatile.Read(ref info.Resident) == 0)
            return false;
        lock (_gate)
        {
            long word = Volatile.Read(ref info.StateWord);
            if (StateOf(word) != SegmentState.Free || info.Resident == 0 || segment >= _frontier
                || !TryChange(ref info, word, SegmentState.Claimed))
            {
                return false;
            }

            Interlocked.Decrement(ref _freeCount);
            Interlocked.Decrement(ref _residentFreeCount);
        }

        _segments.Discard(segment, SegmentSize);
        lock (_gate)
        {
            info.Resident = 0;
            TryChange(ref info, Volatile.Read(ref info.StateWord), SegmentState.Free);
            Interlocked.Increment(ref _freeCount);
        }

        return true;
    }
}
