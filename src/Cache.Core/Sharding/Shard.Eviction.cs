using System.Diagnostics;
using System.Numerics;
using Cache.Core.Changes;
using Cache.Core.Layout;
using Cache.Core.Log;
using Cache.Core.Packing;

namespace Cache.Core.Sharding;

/// <summary>What the reclaimer does with the records of a segment.</summary>
internal sealed partial class Shard
{
    /// <summary>Moves a record out of the segment that is being reclaimed, or evicts it.</summary>
    /// <returns>The bytes that stay in use for it.</returns>
    public int Reclaim(Record record, ulong hash, Reclaimer reclaimer)
    {
        var entry = default(EntryLock);
        if (!TryLockRecord(record, hash, ref entry))
            return 0;
        RemoveIfCleared(ref entry);
        RemoveIfExpired(ref entry);
        if (entry.IsFound)
        {
            int frequency = entry.Holder.FrequencyOf(entry.Slot);
            bool isMain = reclaimer.Decide(
                frequency, CountedBytesOf(entry), entry.Header.IsExpiring, out bool keep, out int next);
            keep |= reclaimer.IsKept(hash);
            var moved = default(MovedValue);
            if (keep && isMain && !TryRepack(ref entry, hash, frequency, out moved))
                return 0;
            if (entry.IsFound && !(keep && TryMove(ref entry, hash, isMain, next, moved, reclaimer))
                && reclaimer.MayEvict(hash, entry.Header.IsExpiring))
            {
                Evict(ref entry, hash, reclaimer, isMain);
            }
        }

        int size = entry.IsFound ? entry.Header.RecordSize : 0;
        Unlock(ref entry);
        return size;
    }

    // Of a large collection a use is one of an element: its size says nothing.
    private static long CountedBytesOf(in EntryLock entry)
    {
        if (entry.Header.IsPaged)
            return 0;
        return entry.Header.RecordSize + (entry.Header.IsLarge ? entry.Block.SizeBytes : 0);
    }

    /// <summary>Moves a record with other bytes for its value; without these, if there is no room for them.</summary>
    private bool TryMove(
        ref EntryLock entry, ulong hash, bool isMain, int frequency, in MovedValue moved, Reclaimer reclaimer)
    {
        Debug.Assert(entry.IsFound);
        bool isMoved = TryMove(ref entry, hash, isMain, frequency, moved)
            || (!moved.IsNone && TryMove(ref entry, hash, isMain, frequency, default));
        if (isMoved)
            reclaimer.NoteCopied(entry.Header.RecordSize);
        return isMoved;
    }

    /// <summary>
    /// Evicts the entry that points at a record, if the policy and the thread that needs room allow it.
    /// </summary>
    /// <returns>Whether an entry has gone.</returns>
    public bool EvictIfAllowed(Record record, ulong hash, Reclaimer reclaimer, bool isMain)
    {
        var entry = default(EntryLock);
        if (!TryLockRecord(record, hash, ref entry))
            return false;
        RemoveIfCleared(ref entry);
        RemoveIfExpired(ref entry);
        if (entry.IsFound && reclaimer.MayEvict(hash, entry.Header.IsExpiring))
            Evict(ref entry, hash, reclaimer, isMain);
        bool hasGone = !entry.IsFound;
        Unlock(ref entry);
        return hasGone;
    }

    /// <summary>Locks the entry that points at a record; false if none does any more.</summary>
    private bool TryLockRecord(Record record, ulong hash, ref EntryLock entry)
    {
        ulong wanted = Bucket.EntryOf(Bucket.TagOf(hash, generation: 0), _records.AddressOf(record));
        BeginLock(hash, ref entry);
        bool? found;
        while ((found = TryFindEntry(wanted, ref entry)) is null)
            BeginLockAgain(hash, ref entry);
        if (found == false)
        {
            Unlock(ref entry);
            return false;
        }

        entry.Record = record;
        entry.Generation = Bucket.GenerationOf(entry.Holder.EntryAt(entry.Slot));
        Debug.Assert(!record.Header.IsDead, "What an entry points at lives.");
        entry.Header = record.Header; // Under the lock: it may have been changed in place since.
        SetContent(ref entry);
        return true;
    }

    /// <returns>Null if another thread holds a bucket that is needed.</returns>
    private static bool? TryFindEntry(ulong wanted, ref EntryLock entry)
    {
        entry.AssertHeld();
        if (TrySlotOf(entry.Home, wanted, out entry.Slot))
            return true;
        for (ulong buckets = entry.Home.SpillBuckets; buckets != 0; buckets &= buckets - 1)
        {
            var bucket = entry.Home.Page[BitOperations.TrailingZeroCount(buckets)];
            if (!TryHold(bucket, ref entry, out uint version))
                return null;
            if (TrySlotOf(bucket, wanted, out entry.Slot))
            {
                entry.Holder = bucket;
                entry.HolderVersion = version;
                return true;
            }

            LetGo(bucket, version, entry.Set);
        }

        return false;
    }

    private static bool TrySlotOf(Bucket bucket, ulong wanted, out int slot)
    {
        for (slot = Bucket.SlotFirst; slot <= Bucket.SlotLast; slot++)
        {
            if (Bucket.AreSameButGeneration(bucket.EntryAt(slot), wanted))
                return true;
        }

        slot = 0;
        return false;
    }

    private bool TryMove(ref EntryLock entry, ulong hash, bool isMain, int frequency, in MovedValue moved)
    {
        entry.AssertHeld();
        Debug.Assert(entry.IsFound);
        var header = HeaderOfMoved(entry, moved);
        int size = header.RecordSize;
        var stream = (isMain ? LogStream.Main : 0) | (header.IsExpiring ? LogStream.Expiring : 0);
        int stripe = _log.ReclaimerStripe;
        if ((_log[_records.SegmentOf(entry.Record)].Stream & (int)LogStream.Long) != 0)
            return false; // It has a segment of its own: the reclaimer keeps it as it is, or evicts it.
        long spareBytes = _reclaimer.CopySpareBytes;
        Record target;
        while (!_log.TryAllocate(stripe, stream, size, out target))
        {
            // Longer than a segment, since these are shorter now than when it was written.
            if (size > _log.Capacity && _log.TryAllocateLong(stream, size, spareBytes, out target))
                break;
            if (!_log.TryRotate(stripe, stream, size, spareBytes))
                return false;
        }

        if (moved.IsNone)
            entry.Record.CopyTo(target, size);
        else
            WriteMoved(entry, target, header, moved);
        long largeBytes = header.IsLarge ? entry.Block.SizeBytes : AccountedBytesOf(entry.Object);
        _log.Commit(target, header, entry.Record.ExpiryOf(entry.Header), largeBytes);
        NoteFields(target, header);
        ulong tag = Bucket.TagOf(hash, entry.Generation);
        entry.Holder.SetEntry(entry.Slot, Bucket.EntryOf(tag, _records.AddressOf(target)));
        entry.Holder.SetFrequency(entry.Slot, frequency);
        _log.Retire(entry.Record, entry.Header, largeBytes);
        entry.Record = target;
        entry.Header = header;
        entry.IsChanged = true;
        return true;
    }

    private static RecordHeader HeaderOfMoved(in EntryLock entry, in MovedValue moved)
    {
        if (moved.IsNone)
            return entry.Header;
        int size = Record.SizeOf(
            entry.Header.KeyLength, moved.Bytes.Length, entry.Record.ExpiryOf(entry.Header));
        return entry.Header.WithStringBytes(moved.Bytes.Length, moved.IsCompressed).WithRecordSize(size);
    }

    private static void WriteMoved(in EntryLock entry, Record target, RecordHeader header, in MovedValue moved)
    {
        entry.AssertHeld();
        Debug.Assert(header.KeyLength == entry.Header.KeyLength && header.ValueLength == moved.Bytes.Length);
        target.Header = header;
        target.WriteKey(entry.Record.KeyOf(entry.Header));
        moved.Bytes.CopyTo(target.ValueOf(header));
        target.WriteExpiry(header, entry.Record.ExpiryOf(entry.Header));
    }

    private void Evict(ref EntryLock entry, ulong hash, Reclaimer reclaimer, bool wasInMain)
    {
        Debug.Assert(entry.IsFound);
        Debug.Assert(reclaimer.Gate.IsHeldByCurrentThread, "Ghosts are written under its gate.");
        reclaimer.Ghosts.Add(hash, wasInMain);
        RemoveLocked(ref entry, ChangeCause.Evicted);
        Interlocked.Increment(ref _counters.Evictions);
    }

    /// <summary>Evicts the least used entry of a home whose page cannot be split any more.</summary>
    private bool TryEvictFrom(ulong hash, Bucket home)
    {
        var policy = _state.Budget.Eviction;
        if (policy == EvictionPolicy.None)
            return false;
        uint version = _state.Lock(home);
        if (!IsHome(hash, home))
        {
            home.Unlock(version, changed: false);
            return true; // Its page was split or merged meanwhile.
        }

        int slot = LeastUsedSlotOf(home, policy);
        var victim = slot == 0 ? default : _records[home.EntryAt(slot)];
        ulong victimHash = victim.IsNull ? 0 : _state.HashOf(victim);
        home.Unlock(version, changed: false);
        var entry = default(EntryLock);
        if (victim.IsNull)
            return false;
        RoomSteps.At(RoomStep.VictimFound);
        if (!TryLockRecord(victim, victimHash, ref entry))
            return true; // It went by itself.
        if (_reclaimer.AllowsEviction(entry.Header.IsExpiring))
        {
            RemoveLocked(ref entry, ChangeCause.Evicted);
            Interlocked.Increment(ref _counters.Evictions);
        }

        // If policy or expiry was changed meanwhile it stays, and the caller looks for a slot again.
        Unlock(ref entry);
        return true;
    }

    /// <summary>
    /// Evicts the least used entry of a bucket that has fewer empty slots than are wanted, and whose page a set of
    /// locks holds: no other thread takes the slot.
    /// </summary>
    public void TryEvictHeld(KeyLocks locks, Bucket home, int wanted)
    {
        Debug.Assert(locks.IsExclusive, "The entry's home may be another bucket of the page.");
        int slot = LeastUsedSlotOf(home, _state.Budget.Eviction);
        if (slot == 0 || home.CountEmptySlots() >= wanted)
            return;
        ulong word = home.EntryAt(slot);
        var record = _records[word];
        var header = record.Header;
        var entry = default(EntryLock);
        entry.Set = locks;
        entry.Home = home.Page.HomeOf(_state.HashOf(record)); // It may have spilled to this bucket.
        entry.Holder = home;
        entry.Slot = slot;
        entry.Record = record;
        entry.Header = header;
        entry.Generation = Bucket.GenerationOf(word);
        SetContent(ref entry);
        RemoveLocked(ref entry, ChangeCause.Evicted);
        Interlocked.Increment(ref _counters.Evictions);
        Unlock(ref entry);
    }

    /// <summary>The least used entry of a locked bucket that a policy lets go; 0: there is none.</summary>
    private int LeastUsedSlotOf(Bucket bucket, EvictionPolicy policy)
    {
        int found = 0;
        int least = policy == EvictionPolicy.None ? 0 : int.MaxValue;
        for (int slot = Bucket.SlotFirst; slot <= Bucket.SlotLast; slot++)
        {
            ulong word = bucket.EntryAt(slot);
            if (word == 0 || bucket.FrequencyOf(slot) >= least)
                continue;
            if (policy == EvictionPolicy.ExpiringEntries && !_records[word].Header.IsExpiring)
                continue;
            least = bucket.FrequencyOf(slot);
            found = slot;
        }

        return found;
    }
}
