using System.Diagnostics;
using Cache.Core.Collections.Objects;
using Cache.Core.Layout;
using Cache.Core.Log;

namespace Cache.Core.Sharding;

/// <summary>The proof that a refusal needs: an audit of the store in which each byte in use has an owner.</summary>
/// <remarks>
/// It is made under the gate and with a claim, so that no other thread takes bytes or reclaims a segment meanwhile. All
/// active segments are sealed, then each segment is visited once, and entries that may be evicted are, until there is
/// room. Other threads can only free bytes meanwhile, or link those that they hold already; either changes one of the
/// sums that are taken before and after, or shows as a difference between them:
/// used = index, ghosts, table of objects, held outside + segments + blocks + slabs of objects + prepaid;
/// blocks = those that live records point at + lent without an entry + held by writes;
/// bytes handed out of sealed segments = committed bytes + held by writes.
/// If all three hold, and the writes' part is what the threads that wait for room declare, then no byte is in transit,
/// no evictable entry is left, and there still is no room: that is the proof.
/// </remarks>
internal sealed partial class Reclaimer
{
    private RoomFinding Audit(in RoomRequest request, ref Stall stall)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        Debug.Assert(_budget.IsClaimedByCaller);
        PutVictimBack();
        RoomSteps.At(RoomStep.AuditBegins);
        var before = ReadSums();
        _state.Objects?.Pages.FlushCaches();
        var walk = EvictAll(request);
        RoomSteps.At(RoomStep.AuditWalked);
        if (_budget.TryTake(request.Bytes, request.SpareBytes))
            return RoomFinding.Taken;
        if (walk.HasEvicted || walk.IsCutShort || TryShrinkIndex())
            return RoomFinding.InTransit; // What went may be held by a reader still; the next audit sees.
        bool isFreeing = IsFreeingObjects(request); // First: what is freed from now on changes a sum.
        var after = ReadSums();
        var held = _state.InTransit.Read(out var heldForClaims);
        var inTransit = new HeldBytes(
            walk.UnfinishedBytes,
            after.BlockBytes - after.OrphanBytes - (walk.LargeBytes - after.AccountedBytes - after.DuplicateBytes),
            after.UsedBytes - after.OutsideBytes - after.FixedBytes - walk.SegmentBytes - after.BlockBytes
                - after.ObjectBytes);
        stall.Note(inTransit);
        bool hasRoom = after.UsedBytes + request.EnoughBytes <= after.LimitBytes;
        if (isFreeing || before != after || walk.HasForeign || inTransit != held || hasRoom)
            return RoomFinding.InTransit;
        if (held == request.Held)
        {
            AssertProven(request, after, walk);
            return RoomFinding.Refused;
        }

        // All that is in transit belongs to writes that wait for room.
        if (request.IsLast && _budget.TryTake(request.Bytes, _log.OverdrawnSpareBytes))
            return RoomFinding.Taken;
        // These end, or are refused, by themselves; but those that wait for a claim end after its owner.
        bool endByThemselves = request.Held == default
            && (held != heldForClaims || !_state.Claims.IsOwn(request.KeptHash));
        return endByThemselves ? RoomFinding.InTransit : RoomFinding.Refused;
    }

    // What collections that have gone had, what no key has yet, and what a reader may be the last to have.
    private bool IsFreeingObjects(in RoomRequest request) =>
        _state.Objects is { } objects
            && (objects.Graveyard.Count != 0 || objects.LongElements.Loans != 0 || IsMaking(objects, request));

    // Who has an object that no key has yet, and waits for room, waits for no other such thread: it is refused, and
    // gives its pages back. Who has none waits for these; but those that wait for its claim end after it.
    private bool IsMaking(ObjectHeap objects, in RoomRequest request)
    {
        int making = objects.Making; // First: who begins to wait meanwhile is not missed.
        var (forRoom, forClaims) = _state.InTransit.ReadObjects();
        if (making > forRoom + forClaims)
            return true;
        return ObjectHeap.MakingOfThread == 0
            && (forRoom > 0 || (forClaims > 0 && !_state.Claims.IsOwn(request.KeptHash)));
    }

    [Conditional("DEBUG")]
    private void AssertProven(in RoomRequest request, in Sums sums, in Walk walk)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread && _budget.IsClaimedByCaller, "Others may take and reclaim.");
        Debug.Assert(!walk.HasForeign && !walk.IsCutShort, "A segment was not looked at.");
        Debug.Assert(!walk.HasEvicted, "What went may have made room.");
        Debug.Assert(walk.UnfinishedBytes == request.Held.RecordBytes, "A record is in transit.");
        Debug.Assert(
            sums.BlockBytes == walk.LargeBytes - sums.AccountedBytes - sums.DuplicateBytes + sums.OrphanBytes
                + request.Held.BlockBytes,
            "A block is in transit.");
        Debug.Assert(
            sums.UsedBytes == sums.FixedBytes + sums.OutsideBytes + walk.SegmentBytes + sums.BlockBytes
                + sums.ObjectBytes + request.Held.PrepaidBytes,
            "A byte has no owner.");
        Debug.Assert(sums.UsedBytes + request.EnoughBytes > sums.LimitBytes, "There is room.");
    }

    /// <summary>Seals and visits all segments, and evicts what may go until there is room.</summary>
    private Walk EvictAll(in RoomRequest request)
    {
        var walk = default(Walk);
        _log.SealActive();
        for (int segment = 1; segment < _log.Frontier; segment++)
        {
            RoomSteps.At(RoomStep.AuditNext);
            if (_log.TryClaim(segment))
            {
                EvictFrom(segment, ref walk);
                bool isEmpty = Volatile.Read(ref _log[segment].Dead) == _log[segment].End;
                if (!isEmpty)
                    NoteWalked(segment, ref walk);
                _log.Unclaim(segment);
                walk.IsCutShort = _budget.HasRoomFor(request.EnoughBytes);
                if (walk.IsCutShort)
                    break;
                continue;
            }

            switch (RecordLog.StateOf(Volatile.Read(ref _log[segment].StateWord)))
            {
                case SegmentState.Free or SegmentState.Continued:
                    break;
                case SegmentState.Sealed:
                    NoteWalked(segment, ref walk);
                    walk.HasForeign |= _log.IsWhole(segment); // Since a moment ago: it was not looked at.
                    break;
                default: // The sweep's, or another thread's that began it just before the claim.
                    walk.HasForeign = true;
                    break;
            }
        }

        return walk;
    }

    private void NoteWalked(int segment, ref Walk walk)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        ref var info = ref _log[segment];
        walk.UnfinishedBytes += info.End - Volatile.Read(ref info.Committed);
        walk.LargeBytes += Volatile.Read(ref info.LargeBytes);
        walk.SegmentBytes += _log.BytesOf(segment);
    }

    private void EvictFrom(int segment, ref Walk walk)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        ref var info = ref _log[segment];
        if (_budget.Eviction == EvictionPolicy.ExpiringEntries && Volatile.Read(ref info.ExpiringCount) == 0
            && !_state.Generations.HasCleared)
        {
            return;
        }

        int end = info.End;
        for (int offset = info.Start; offset < end && !_budget.HasRoomFor(_enoughBytes);)
        {
            var record = _log.Space.At(segment, offset);
            var header = record.Header;
            offset += header.RecordSize;
            if (header.IsDead)
                continue;
            ulong hash = _state.HashOf(record);
            walk.HasEvicted |= ShardOf(hash).EvictIfAllowed(record, hash, this, IsMain(info));
            FreeObjects();
        }
    }

    private Sums ReadSums()
    {
        // The outside is counted before it is used, so what is seen used is seen outside too.
        long used = _budget.UsedBytes;
        var shares = _state.Shares;
        return new Sums(
            used, _budget.OutsideBytes, FixedBytes, _state.BlockBytes, shares.OrphanBytes,
            shares.DuplicateBytes, _budget.LimitBytes, _budget.Eviction, _state.Objects?.UsedBytes ?? 0,
            _state.Objects?.AccountedBytes ?? 0);
    }

    private readonly record struct Sums(
        long UsedBytes, long OutsideBytes, long FixedBytes, long BlockBytes, long OrphanBytes, long DuplicateBytes,
        long LimitBytes, EvictionPolicy Eviction, long ObjectBytes, long AccountedBytes);

    /// <summary>What an audit saw of the segments.</summary>
    private struct Walk
    {
        public long SegmentBytes;
        public long LargeBytes; // Of the blocks that live records point at.
        public long UnfinishedBytes; // Of records that are being written.
        public bool HasForeign; // Whether another thread was working on a segment, which no one else can read.
        public bool HasEvicted;
        public bool IsCutShort; // Whether there was room before its end.
    }

    /// <summary>Since when nothing at all has changed for a thread that waits.</summary>
    private struct Stall
    {
        private HeldBytes _last;
        private long _since;

        public void Note(in HeldBytes inTransit)
        {
            if (_since != 0 && inTransit == _last)
                return;
            _last = inTransit;
            _since = TimeProvider.System.GetTimestamp();
        }

        public readonly bool IsLongerThan(TimeSpan most) =>
            _since != 0 && TimeProvider.System.GetElapsedTime(_since) > most;
    }
}
