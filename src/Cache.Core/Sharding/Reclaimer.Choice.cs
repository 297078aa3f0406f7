using System.Diagnostics;
using Cache.Core.Layout;
using Cache.Core.Log;

namespace Cache.Core.Sharding;

/// <summary>Which segment is reclaimed next.</summary>
internal sealed partial class Reclaimer
{
    private bool TryChoose()
    {
        while (true)
        {
            int segment = Choose(Survey(), out var mode);
            if ((segment == 0 || Evicts(mode)) && TrySealDue())
                segment = Choose(Survey(), out mode);
            if (segment == 0 && _budget.Eviction != EvictionPolicy.None)
            {
                // Everything may be in active segments: few records with large blocks.
                _log.SealActive();
                segment = Choose(Survey(), out mode);
            }

            if (segment == 0)
                return false;
            if (_log.TryClaim(segment))
            {
                Take(segment, mode);
                return true;
            }

            // It became free, or another's, since it was looked at.
        }
    }

    /// <summary>Begins to work on a segment that was claimed.</summary>
    private void Take(int segment, ReclaimMode mode)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        Debug.Assert(_victim == 0, "One segment is in work at a time.");
        _victim = segment;
        ref var info = ref _log[segment];
        _victimIsMain = IsMain(info);
        _victimWasMoved = (info.Stream & (int)LogStream.Moved) != 0;
        if (mode == ReclaimMode.RemoveExpired)
            BeginLook(segment);
        else
            info.Stream |= (short)LogStream.Moved; // What stays in it is not compacted for that once more.
        _mode = mode;
        _offset = info.Start;
        _live = info.Committed - Volatile.Read(ref info.Dead);
        _stayed = 0;
    }

    private int Choose(in Candidates candidates, out ReclaimMode mode)
    {
        mode = ReclaimMode.Compact;
        var policy = _budget.Eviction;
        double liveMax = policy == EvictionPolicy.None ? CompactLastShare : CompactShare;
        if (candidates.Emptiest != 0 && candidates.EmptiestShare <= liveMax && _gainless < GainlessPerFloor)
            return candidates.Emptiest;
        if (candidates.Due != 0)
        {
            mode = ReclaimMode.RemoveExpired;
            return candidates.Due;
        }

        // What is unused behind the last record may be unused again behind its copy, but what is dead is a gain.
        if (policy == EvictionPolicy.None || (policy == EvictionPolicy.ExpiringEntries && candidates.Expiring == 0))
            return candidates.DeadestShare <= CompactLastShare ? candidates.Deadest : 0;
        // Before anything goes that may stay: what was written to main itself is compressed, once.
        if (policy == EvictionPolicy.AllEntries && candidates.Unpacked != 0 && _state.Packer.PaysOff)
            return candidates.Unpacked;
        if (policy == EvictionPolicy.ExpiringEntries)
        {
            mode = ReclaimMode.EvictExpiring;
            return candidates.Expiring;
        }

        bool isSmall = candidates.OldestMain == 0 || (candidates.OldestSmall != 0
            && candidates.SmallBytes > (candidates.SmallBytes + candidates.MainBytes) * SmallShare.Value);
        mode = isSmall ? ReclaimMode.EvictSmall : ReclaimMode.EvictMain;
        return isSmall ? candidates.OldestSmall : candidates.OldestMain;
    }

    /// <summary>Looks at all segments: a line each, in order.</summary>
    private Candidates Survey()
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        var found = new Candidates { EmptiestShare = double.MaxValue, DeadestShare = double.MaxValue };
        var now = _state.Clock.Now;
        for (int segment = 1; segment < _log.Frontier; segment++)
        {
            ref var info = ref _log[segment];
            var segmentState = RecordLog.StateOf(Volatile.Read(ref info.StateWord));
            if (segmentState is SegmentState.Free or SegmentState.Continued)
                continue;
            int live = Volatile.Read(ref info.Committed) - Volatile.Read(ref info.Dead);
            bool isMain = IsMain(info);
            ref long bytes = ref isMain ? ref found.MainBytes : ref found.SmallBytes;
            bytes += live + Volatile.Read(ref info.LargeBytes);
            if (!_log.IsWhole(segment))
                continue;
            double share = (double)live / (_log.SegmentSize - info.Start);
            bool canCompact = CanCompact(info, live);
            if (share < found.EmptiestShare && canCompact)
                (found.Emptiest, found.EmptiestShare) = (segment, share);
            double usedShare = (double)live / Math.Max(1, info.End - info.Start);
            if (usedShare < found.DeadestShare && canCompact)
                (found.Deadest, found.DeadestShare) = (segment, usedShare);
            if (isMain && canCompact && (info.Stream & (int)LogStream.Moved) == 0
                && (found.Unpacked == 0 || info.Sequence < _log[found.Unpacked].Sequence))
            {
                found.Unpacked = segment;
            }

            ref int oldest = ref isMain ? ref found.OldestMain : ref found.OldestSmall;
            if (oldest == 0 || info.Sequence < _log[oldest].Sequence)
                oldest = segment;
            bool isNext = found.Due == 0 || (found.Due <= _lookStart && segment > _lookStart);
            if (isNext && IsToBeLookedThrough(segment, now))
                found.Due = segment;
            if (IsBetterExpiring(segment, found.Expiring))
                found.Expiring = segment;
        }

        return found;
    }

    // While it is copied, it and its copy count against the limit.
    private bool CanCompact(in SegmentInfo info, int live) =>
        (info.Stream & (int)LogStream.Long) == 0 && (live <= 2 * _log.Capacity || _budget.HasRoomFor(live));

    // The oldest of the segments that expiring records were gathered in; without one, any that has some.
    private bool IsBetterExpiring(int segment, int best)
    {
        ref var info = ref _log[segment];
        if (Volatile.Read(ref info.ExpiringCount) == 0)
            return false;
        if (best == 0)
            return true;
        ref var bestInfo = ref _log[best];
        bool gathered = (info.Stream & (int)LogStream.Expiring) != 0;
        bool bestGathered = (bestInfo.Stream & (int)LogStream.Expiring) != 0;
        if (gathered != bestGathered)
            return gathered;
        return gathered || info.ExpiringCount == bestInfo.ExpiringCount
            ? info.Sequence < bestInfo.Sequence
            : info.ExpiringCount > bestInfo.ExpiringCount;
    }

    private static bool Evicts(ReclaimMode mode) =>
        mode is ReclaimMode.EvictSmall or ReclaimMode.EvictMain or ReclaimMode.EvictExpiring;

    private static bool IsMain(in SegmentInfo info) => (info.Stream & (int)LogStream.Main) != 0;

    /// <summary>What becomes of the live records of a segment that is reclaimed.</summary>
    private enum ReclaimMode
    {
        /// <summary>All are copied: the segment has enough dead bytes.</summary>
        Compact,

        /// <summary>Those that were used often enough go to main, the others are evicted and leave ghosts.</summary>
        EvictSmall,

        /// <summary>Those that were used are copied with one use less, the others are evicted.</summary>
        EvictMain,

        /// <summary>Those that never expire are copied, the others are evicted unless they were used often.</summary>
        EvictExpiring,

        /// <summary>All stay where they are; what has expired is removed.</summary>
        RemoveExpired,
    }

    private struct Candidates
    {
        public int Emptiest;
        public double EmptiestShare; // The part of it that lives.
        public int Deadest;
        public double DeadestShare; // The part of what was handed out of it that lives.
        public int Unpacked; // The oldest of main whose records were never looked at here.
        public int OldestSmall;
        public int OldestMain;
        public int Expiring;
        public int Due; // In which something may have expired that no sweep has met.
        public long SmallBytes;
        public long MainBytes;
    }
}
