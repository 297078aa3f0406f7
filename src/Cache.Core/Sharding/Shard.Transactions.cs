using System.Diagnostics;
using System.Runtime.CompilerServices;
using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>Reads and writes of keys that a transaction of this thread has locked.</summary>
/// <remarks>
/// Nothing waits here: no bucket that another thread holds is needed, since the transaction found all of its keys when
/// it locked them; and nothing is reclaimed, since that locks buckets. A write takes room from what the transaction
/// took before, or from what is free, and slots from what was cleared.
/// </remarks>
internal sealed partial class Shard
{
    // Each overcomes one obstacle; a write meets a full page, a full segment and a want of room for its block.
    private const int HeldAttemptsMax = 8;

    private void LockHeld(KeyLocks locks, in EntryKey key, ref EntryLock entry)
    {
        Debug.Assert(key.Locks == locks);
        if (!TryLockIn(locks, key, ref entry))
            ThrowNotHeld();
        entry.HomeVersion = locks.VersionAfter(entry.Home);
    }

    /// <summary>Copies a part of the value of a locked key into the sink's span; the sink is not told yet.</summary>
    [MethodImpl(MethodImplOptions.NoInlining)] // Not of the common read.
    private ReadStatus CopyHeld<TSink>(
        KeyLocks locks, in EntryKey key, ByteRange bytes, ref TSink sink, int lentLengthMin, out ReadSnapshot snapshot)
        where TSink : struct, IValueSink, allows ref struct
    {
        snapshot = default;
        var entry = default(EntryLock);
        LockHeld(locks, key, ref entry);
        try
        {
            if (!MustCopy(entry, lentLengthMin, ref snapshot, out var status))
                return status;
            var (offset, length) = bytes.Within(snapshot.Length);
            snapshot.CopiedLength = length;
            ValueOf(ref entry).Slice(offset, length).CopyTo(sink.GetSpan(length));
            return ReadStatus.Found;
        }
        finally // The sink may throw.
        {
            Unlock(ref entry);
        }
    }

    /// <summary>Overcomes what a write of a locked key met, without any wait.</summary>
    private bool TryOvercomeHeld(KeyLocks locks, in EntryKey key, ref EntryLock entry)
    {
        Debug.Assert(entry.Obstacle != Obstacle.None);
        Debug.Assert(entry.Set == locks, "The entry is one of the transaction's.");
        long bytes = entry.BytesWanted;
        entry.BytesWanted = 0;
        if (!entry.AheadRecord.IsNull) // Of another size.
            _log.Abandon(entry.AheadRecord, entry.AheadRecord.Header.RecordSize);
        entry.AheadRecord = default;
        if (++entry.RoomAttempts > HeldAttemptsMax)
            return false;
        return entry.Obstacle switch
        {
            Obstacle.Contention => TryFreeClearedHeld(locks, entry.Home),
            Obstacle.NoSlot => locks.IsExclusive
                ? TryMakeSlots(new ReadOnlySpan<ulong>(in key.Hash), locks) != 0
                : TryFreeClearedHeld(locks, entry.Home),
            Obstacle.NoSegmentRoom => TryTakeSegmentHeld(locks, ref entry, (int)bytes),
            Obstacle.LongRecord => TryTakeLongHeld(locks, ref entry, (int)bytes),
            Obstacle.NoBlockRoom => TryPrepayHeld(locks, ref entry, bytes),
            _ => false,
        };
    }

    private bool TryTakeSegmentHeld(KeyLocks locks, ref EntryLock entry, int size)
    {
        int stripe = _log.OwnStripe;
        long bytes = _log.ActiveBytesFor(size);
        if (locks.TryUseRoom(bytes))
        {
            if (!_log.TryAllocatePrepaid(stripe, entry.Stream, size, bytes, out entry.AheadRecord))
                return false;
            MarkAhead(ref entry, size);
            return true;
        }

        return _log.TryRotate(stripe, entry.Stream, size, _log.SpareBytes)
            || (entry.MayOverdraw && _log.TryRotate(stripe, entry.Stream, size, _log.OverdrawnSpareBytes));
    }

    private bool TryTakeLongHeld(KeyLocks locks, ref EntryLock entry, int size)
    {
        long bytes = _log.LongBytesOf(size);
        bool isTaken = locks.TryUseRoom(bytes)
            ? _log.TryAllocateLongPrepaid(entry.Stream, size, bytes, out entry.AheadRecord)
            : _log.TryAllocateLong(entry.Stream, size, _log.SpareBytes, out entry.AheadRecord);
        if (isTaken)
            MarkAhead(ref entry, size);
        return isTaken;
    }

    private static bool TryPrepayHeld(KeyLocks locks, ref EntryLock entry, long bytes)
    {
        Debug.Assert(entry.PrepaidBytes == 0);
        if (!locks.TryUseRoom(bytes))
            return false;
        entry.PrepaidBytes = bytes;
        return true;
    }

    // A bucket that is needed was not found when the keys were locked: the store would wait for ever.
    private static void ThrowNotHeld() =>
        throw new InvalidOperationException("A bucket of a locked key is held by another thread.");
}
