using System.Diagnostics;
using Cache.Core.Eviction;
using Cache.Core.Layout;
using Cache.Core.Log;

namespace Cache.Core.Sharding;

/// <summary>Changes of the limit: entries go, and what was kept for them goes after them.</summary>
internal sealed partial class Reclaimer
{
    // The limit falls by so small a part at a time: writers that need room meanwhile wait for one of them.
    private const int LimitStepDivisor = 64;

    // How often room is looked for before a limit is taken for one that cannot be kept, while others have segments
    // under way.
    private const int PatienceMax = 256;

    // Segments are renewed once the store is at most this many times as large as the new limit: most are gone by then.
    private const int RenewalFactor = 2;

    // Copies may pass the limit by so small a part: more than the segments of all streams, less than two percent.
    private const int CopyOverdrawDivisor = 64;

    // After a failed attempt, merging is tried again when the number of entries has fallen to this fraction.
    private const double MergeAgainShare = 0.9;

    // With this many entries or more, merging failed; any recent value will do.
    private long _unmergeableCount = long.MaxValue;

    // What copies may take beyond the limit while long segments are renewed, else 0; guarded by the gate.
    private long _renewalBytes;

    /// <summary>
    /// What a copy must leave of the limit. A long segment from before a change, which could not be renewed because a
    /// record in it was just being written, must not take the store far beyond it: what is not copied is evicted.
    /// Where nothing may be evicted, copying is the only way down.
    /// </summary>
    public long CopySpareBytes => _budget.Eviction != EvictionPolicy.AllEntries
        ? RecordLog.UnlimitedSpareBytes
        : -Math.Max(_renewalBytes, _budget.LimitBytes / CopyOverdrawDivisor);

    /// <summary>Sets the limit and reclaims until it is kept, as far as the policy allows.</summary>
    public void ChangeLimit(long limitBytes)
    {
        Debug.Assert(limitBytes > 0);
        Debug.Assert(!_gate.IsHeldByCurrentThread, "Others may reclaim between two steps.");
        long most = Math.Min(_budget.LimitBytes, limitBytes * RenewalFactor);
        if (most > limitBytes)
        {
            // A renewed segment is there twice for a moment: the room for that is made first.
            long least = Math.Max(limitBytes, most - _log.SegmentSize);
            Approach(least);
            RenewLongSegments(most - least);
        }

        Approach(limitBytes);
        _budget.LimitBytes = limitBytes;
    }

    /// <summary>Lowers the limit step by step, while something can be reclaimed.</summary>
    private void Approach(long limitBytes)
    {
        Debug.Assert(limitBytes > 0);
        long step = Math.Max(limitBytes, _budget.UsedBytes);
        do
        {
            step = Math.Max(limitBytes, step - step / LimitStepDivisor);
            _budget.LimitBytes = step;
        }
        while (TryKeepLimitPatiently() && step > limitBytes);
    }

    // Others write meanwhile, so that for a moment there may be no segment that is whole, or none with any gain.
    private bool TryKeepLimitPatiently()
    {
        for (int i = 0; i < PatienceMax; i++)
        {
            if (TryKeepLimit())
                return true;
            if (_budget.Eviction != EvictionPolicy.AllEntries)
                return false;
            RoomSteps.At(RoomStep.GivesWay);
            Thread.Yield();
        }

        return false;
    }

    /// <summary>
    /// Copies what lies in segments that are too long for the new limit: to reclaim one of them then, more
    /// would have to be taken beyond the limit than it allows. Now it is still higher.
    /// </summary>
    private void RenewLongSegments(long copyBytes)
    {
        using (EnterGate())
        {
            _state.ThrowIfDisposed();
            _renewalBytes = copyBytes;
            // One that cannot be emptied is met again: then each was tried.
            for (int i = _log.Frontier; i > 0 && TryFindTooLong(out int segment); i--)
            {
                PutVictimBack();
                RoomSteps.At(RoomStep.LongSegmentFound);
                if (!_log.TryClaim(segment))
                    continue; // It became free, or the sweep's: the others are still to be renewed.
                Take(segment, ReclaimMode.Compact);
                while (_victim != 0)
                    StepUncounted(_log.SegmentSize);
            }

            _renewalBytes = 0;
        }
    }

    private bool TryFindTooLong(out int segment)
    {
        for (segment = 1; segment < _log.Frontier; segment++)
        {
            ref var info = ref _log[segment];
            if (_log.IsWhole(segment) && (info.Stream & (int)LogStream.Long) == 0
                && _log.SegmentSize - info.Start > 2 * _log.Capacity && info.Committed != info.Dead)
            {
                return true;
            }
        }

        return false;
    }

    private bool TryKeepLimit()
    {
        using (EnterGate())
        {
            _state.ThrowIfDisposed();
            return TryReclaim(0, shrinksIndex: true);
        }
    }

    private bool TryShrinkIndex()
    {
        ShrinkGhosts();
        return TryMergePages();
    }

    // Fewer entries leave fewer ghosts.
    private void ShrinkGhosts()
    {
        long wanted = Ghosts.SizeOf(Shard.CountAll(_shards));
        if (Ghosts.SizeBytes > wanted + wanted / GhostToleranceDivisor)
            SetGhosts(wanted);
    }

    /// <summary>Gives back pages of the index if it has far more than the entries need.</summary>
    private bool TryMergePages()
    {
        long count = Shard.CountAll(_shards);
        if (!IsIndexSparse(count))
        {
            Volatile.Write(ref _unmergeableCount, long.MaxValue);
            return false;
        }

        if (count >= Volatile.Read(ref _unmergeableCount) * MergeAgainShare)
            return false;
        bool merged = false;
        foreach (var shard in _shards)
            merged |= shard.MergePages();
        Volatile.Write(ref _unmergeableCount, merged ? long.MaxValue : count);
        return merged;
    }

    // Far more room than the entries need.
    private bool IsIndexSparse(long entryCount) =>
        _state.Index.Count > _shards.Length && entryCount < _state.Index.Count * (IndexPage.SlotCount / 4);
}
