using System.Diagnostics;
using Cache.Core.Changes;
using Cache.Core.Collections.Objects;
using Cache.Core.Layout;
using Cache.Core.Log;

namespace Cache.Core.Sharding;

/// <summary>What all writes are made of: staging a record, publishing it, removing one.</summary>
internal sealed partial class Shard
{
    // An operation on several keys that made room so often, and lost it to others each time.
    private const int RoomAttemptsMax = 1_000;

    /// <summary>Finds room for a value of the locked entry: in its record if it fits, else in a new one.</summary>
    /// <remarks>shape: The value's kind, and what the journal, if there is one, has room for afterwards.</remarks>
    /// <returns>False if an obstacle was met; nothing is changed then.</returns>
    public bool TryStage(
        ref EntryLock entry, in EntryKey key, int valueLength, bool isLarge, in RecordExpiry expiry, bool leaveRoom,
        in ChangeShape shape, out StagedRecord staged)
    {
        var wanted = RecordHeader.Create(key.Bytes.Length, key.Keyspace, 0, valueLength, expiry, isLarge)
            .WithKind(shape.EntryKind);
        if (!TryStageUntold(ref entry, key, wanted, expiry, leaveRoom, shape.Kind, out staged))
            return false;
        if (TryReserve(ref entry, key, expiry, shape))
            return true;
        Abandon(staged);
        return false;
    }

    /// <summary>The same in the entry's record, however much of it is unused then.</summary>
    public bool TryStageInPlace(
        ref EntryLock entry, in EntryKey key, int valueLength, in RecordExpiry expiry, in ChangeShape shape,
        out StagedRecord staged)
    {
        Debug.Assert(entry.IsFound && valueLength <= entry.Header.ValueLength);
        Debug.Assert(!entry.Header.IsCompressed && !entry.Header.IsLarge);
        staged = new StagedRecord(entry.Record, entry.Header.WithValueLength(valueLength), expiry, isInPlace: true)
        {
            Kind = shape.Kind,
        };
        return TryReserve(ref entry, key, expiry, shape);
    }

    /// <remarks>wanted: The header of the record, of whatever size.</remarks>
    private bool TryStageUntold(
        ref EntryLock entry, in EntryKey key, RecordHeader wanted, in RecordExpiry expiry, bool leaveRoom,
        ChangeKind kind, out StagedRecord staged)
    {
        int size = Record.SizeOf(key.Bytes.Length, wanted.ValueLength, expiry);
        bool isPacked = wanted.IsCompressed || (entry.IsFound && entry.Header.IsCompressed);
        if (entry.IsFound && !isPacked && Fits(entry.Header.RecordSize, size)) // A packed value is never written over.
        {
            var inPlace = wanted.WithRecordSize(entry.Header.RecordSize);
            staged = new StagedRecord(entry.Record, inPlace, expiry, isInPlace: true) { Kind = kind };
            return true;
        }

        staged = default;
        if (!entry.IsFound && !TryReserveSlot(ref entry))
            return false;
        if (leaveRoom)
            size = Math.Min(size + (size / 8 & ~7), Math.Max(size, _log.Capacity));
        if (!TryAllocate(ref entry, key, size, expiry.IsExpiring, out var record))
            return false;
        var header = wanted.WithRecordSize(size);
        record.Header = header;
        record.WriteKey(key.Bytes);
        staged = new StagedRecord(record, header, expiry, isInPlace: false) { Kind = kind };
        if (entry.Set is null)
            RoomSteps.At(RoomStep.RecordStaged);
        return true;
    }

    /// <summary>Points the entry at a staged record whose value is written.</summary>
    /// <remarks>largeBytes: The size of the block that the record points at, or 0.</remarks>
    public void Publish(ref EntryLock entry, in EntryKey key, in StagedRecord staged, long largeBytes)
    {
        entry.AssertHeld();
        entry.IsChanged = true;
        staged.Target.WriteExpiry(staged.Header, staged.Expiry);
        if (staged.IsInPlace)
        {
            Debug.Assert(entry.IsFound && staged.Target.Address == entry.Record.Address);
            CountExpiring(key.Keyspace, entry.Generation, entry.Header.IsExpiring, staged.Header.IsExpiring);
            long before = DropBlock(ref entry);
            // The header comes first: a sweep that computes the segment's deadline again must not miss this one.
            staged.Target.Header = staged.Header;
            _log.Recount(entry.Record, entry.Header, staged.Header, staged.Expiry, largeBytes - before);
            NoteFields(staged.Target, staged.Header);
            entry.Header = staged.Header;
            entry.Holder.Touch(entry.Slot);
            if (IsTold(entry))
                Tell(ref entry.Recorder, staged.Target, staged.Header, staged.Kind, staged.Cause);
            return;
        }

        Link(ref entry, key, staged);
        CommitLink(ref entry, staged, largeBytes);
    }

    /// <summary>Publishes a record with the value of another, whose block it shares from now on.</summary>
    public void PublishCopy(ref EntryLock entry, in EntryKey key, in StagedRecord staged, in EntryLock source)
    {
        // Noted before the value is copied: the target may be a record that readers are pointed at.
        if (staged.Header.IsLarge)
            Share(staged, source.Block);
        if (staged.Target.Address != source.Record.Address)
            source.Record.ValueOf(source.Header).CopyTo(staged.Value);
        long bytes = staged.Header.IsLarge ? source.Block.SizeBytes : AccountedBytesOf(source.Object);
        Publish(ref entry, key, staged, bytes);
    }

    /// <summary>Points the locked entry at a staged record; until it is committed, this can be undone.</summary>
    public void Link(ref EntryLock entry, in EntryKey key, in StagedRecord staged)
    {
        Debug.Assert(!staged.IsInPlace);
        entry.Holder.SetEntry(
            entry.Slot, Bucket.EntryOf(Bucket.TagOf(key.Hash, entry.Generation), _records.AddressOf(staged.Target)));
        if (!entry.IsFound && entry.IsSpilled)
            AddSpill(entry.Home, entry.Holder.IndexInPage);
    }

    /// <summary>Points the locked entry at what it pointed at before it was linked.</summary>
    public void UndoLink(ref EntryLock entry, in EntryKey key)
    {
        ulong before = entry.IsFound
            ? Bucket.EntryOf(Bucket.TagOf(key.Hash, entry.Generation), _records.AddressOf(entry.Record))
            : 0;
        entry.Holder.SetEntry(entry.Slot, before);
        if (!entry.IsFound && entry.IsSpilled)
            RemoveSpill(entry.Home, entry.Holder.IndexInPage);
    }

    /// <summary>Counts a record that was linked, and retires the one that it replaced.</summary>
    public void CommitLink(ref EntryLock entry, in StagedRecord staged, long largeBytes)
    {
        entry.AssertHeld();
        Debug.Assert(!staged.Target.IsNull && !staged.IsInPlace);
        entry.IsChanged = true;
        int keyspace = staged.Header.Keyspace;
        CountExpiring(
            keyspace, entry.Generation, entry.IsFound && entry.Header.IsExpiring, staged.Header.IsExpiring);
        _log.Commit(staged.Target, staged.Header, staged.Expiry, largeBytes);
        NoteFields(staged.Target, staged.Header);
        if (entry.IsFound)
        {
            entry.Holder.Touch(entry.Slot);
            _log.Retire(entry.Record, entry.Header, DropBlock(ref entry));
        }
        else
        {
            CountNew(ref entry, keyspace);
        }

        if (IsTold(entry))
        {
            Tell(
                ref entry.Recorder, staged.Target, staged.Header, staged.Kind, staged.Cause, entry.Unpacked,
                isNew: !entry.IsFound);
        }

        entry.Record = staged.Target;
        entry.Header = staged.Header;
    }

    /// <summary>Tells that the block of the locked entry was changed where it lies.</summary>
    public void CommitInBlock(ref EntryLock entry)
    {
        Debug.Assert(entry.Header.IsLarge);
        entry.IsChanged = true;
        entry.Holder.Touch(entry.Slot);
        if (IsTold(entry))
            Tell(ref entry.Recorder, entry.Record, entry.Header, ChangeKind.Patch, ChangeCause.Written);
    }

    private void CountNew(ref EntryLock entry, int keyspace)
    {
        entry.Holder.SetFrequency(entry.Slot, entry.UseCount);
        long count = Interlocked.Increment(ref CountAt(keyspace, entry.Generation));
        Debug.Assert(count > 0);
        if (_generations.IsWritten(keyspace))
            return;
        if (entry.Set is null)
            RoomSteps.At(RoomStep.EntryCounted);
        _generations.NoteWritten(keyspace); // Also if it was not the first: that one may not have come so far.
    }

    /// <summary>Gives back a staged record that is not published after all.</summary>
    public void Abandon(in StagedRecord staged)
    {
        if (!staged.IsInPlace)
            _log.Abandon(staged.Target, staged.Header.RecordSize);
    }

    private void Share(in StagedRecord staged, LargeBlock block)
    {
        bool isNoted = false;
        try
        {
            _state.Shares.NoteCopied(block);
            isNoted = true;
        }
        finally // There may be no memory for it.
        {
            if (!isNoted)
                Abandon(staged);
        }

        block.AddReference();
    }

    /// <summary>Tells the watchers of a key that it is removed; its home is locked.</summary>
    public bool NoteRemoval(ulong hash) => _state.Watched.NoteRemoval(hash);

    /// <summary>Removes the locked entry.</summary>
    public void RemoveLocked(ref EntryLock entry, ChangeCause cause)
    {
        entry.AssertHeld();
        Debug.Assert(entry.IsFound);
        if (!entry.Object.IsNone)
            _state.Objects!.SettledVersionOf(entry.Object.Number); // Who writes it tells before.
        if (IsTold(entry) && cause != ChangeCause.Cleared)
            Tell(ref entry.Recorder, entry.Record, entry.Header, ChangeKind.Remove, cause); // While it has its key.
        entry.IsChanged = true;
        entry.Holder.SetEntry(entry.Slot, 0);
        if (entry.IsSpilled)
            RemoveSpill(entry.Home, entry.Holder.IndexInPage);
        int keyspace = entry.Header.Keyspace;
        long left = Interlocked.Decrement(ref CountAt(keyspace, entry.Generation));
        Debug.Assert(left >= 0, "What goes was counted when it came.");
        CountExpiring(keyspace, entry.Generation, entry.Header.IsExpiring, after: false);
        _log.Retire(entry.Record, entry.Header, DropBlock(ref entry));
        entry.Record = default;
    }

    /// <summary>Makes a block for the locked entry, with room to grow, within the limit.</summary>
    public bool TryCreateBlock(ref EntryLock entry, int length, out LargeBlock block)
    {
        int capacity = BlockCapacityOf(length);
        long prepaid = entry.PrepaidBytes;
        entry.PrepaidBytes = 0;
        if (_state.TryCreateBlock(length, capacity, prepaid, out block))
            return true;
        entry.BytesWanted = _state.BlockBytesOf(capacity);
        entry.Obstacle = prepaid < entry.BytesWanted ? Obstacle.NoBlockRoom : Obstacle.NoMemory;
        return false;
    }

    /// <summary>The value's length with room to grow.</summary>
    public int BlockCapacityOf(int length) => (int)Math.Min(_state.ValueLengthMax, length + length / 8L);

    /// <summary>As of <see cref="SharedState.Lend"/>.</summary>
    public void Lend(LargeBlock block) => _state.Lend(block);

    public void Return(LargeBlock block) => _state.Return(block);

    /// <summary>Frees a block that the next attempt makes again, and keeps its bytes for that.</summary>
    public void ReleaseForNow(ref EntryLock entry, LargeBlock block)
    {
        Debug.Assert(entry.PrepaidBytes == 0, "What was taken ahead was used for the block.");
        if (entry.Set is null)
            entry.PrepaidBytes = _state.ReleaseUnpaid(block);
        else
            _state.Release(block);
    }

    /// <summary>Whether a value is kept in a block of its own.</summary>
    public bool IsLarge(int keyLength, int valueLength) => _state.IsLarge(keyLength, valueLength);

    private static bool Fits(int recordSize, int size) => (uint)(recordSize - size) <= (uint)recordSize / 4;

    private bool TryAllocate(ref EntryLock entry, in EntryKey key, int size, bool expiring, out Record record)
    {
        Debug.Assert(size > 0 && size % 8 == 0);
        bool isMain = entry.IsFound
            ? IsInMain(entry.Record)
            : entry.BelongsToMain || _reclaimer.TakeGhost(key.Hash, size);
        entry.Stream = (isMain ? LogStream.Main : 0) | (expiring ? LogStream.Expiring : 0);
        entry.BytesWanted = size;
        if (!entry.AheadRecord.IsNull && entry.AheadRecord.Header.RecordSize == size)
        {
            record = entry.AheadRecord;
            entry.AheadRecord = default;
            return true;
        }

        if (_log.TryAllocate(_log.OwnStripe, entry.Stream, size, out record))
            return true;
        entry.Obstacle = size > _log.Capacity ? Obstacle.LongRecord : Obstacle.NoSegmentRoom;
        return false;
    }

    private bool IsInMain(Record record) => (_log[_records.SegmentOf(record)].Stream & (int)LogStream.Main) != 0;

    /// <summary>Leaves the block of the locked entry to the end of the lock.</summary>
    /// <returns>Its size, or 0.</returns>
    private long DropBlock(ref EntryLock entry)
    {
        if (!entry.Header.IsLarge)
            return DropObject(ref entry);
        Debug.Assert(entry.Garbage.IsNull, "A lock replaces one block at most.");
        entry.Garbage = entry.Block;
        _state.Shares.NoteDropped(entry.Block);
        return entry.Garbage.SizeBytes;
    }

    /// <summary>Overcomes what a write met, without any lock.</summary>
    /// <returns>False if it cannot be: the status then tells why.</returns>
    public bool TryOvercome(in EntryKey key, ref EntryLock entry, ref WriteStatus status)
    {
        Debug.Assert(entry.Obstacle != Obstacle.None);
        if (key.Locks is { } locks)
        {
            status = WriteStatus.OutOfMemory;
            return TryOvercomeHeld(locks, key, ref entry);
        }

        if (entry.Obstacle == Obstacle.Contention)
        {
            // No want of memory, so the attempts to make room are not counted. A single key's next lock is exclusive
            // after some of these; a set counts its attempts itself.
            entry.Contentions++;
            RoomSteps.At(RoomStep.WaitsForBucket);
            Thread.Yield();
            return true;
        }

        if (entry.Obstacle == Obstacle.NoJournalRoom)
        {
            long bytes = entry.BytesWanted;
            entry.BytesWanted = 0;
            Listeners?.Journal?.WaitForRoom(bytes);
            return true;
        }

        status = WriteStatus.OutOfMemory;
        return TryMakeRoom(key, ref entry);
    }

    private bool TryMakeRoom(in EntryKey key, ref EntryLock entry)
    {
        long bytes = entry.BytesWanted;
        entry.BytesWanted = 0;
        // A record of another size: the entry was changed between two attempts. And a thread that asks for a block must
        // hold no record, whose segment could not be reclaimed.
        if (!entry.AheadRecord.IsNull)
            _log.Abandon(entry.AheadRecord, entry.AheadRecord.Header.RecordSize);
        entry.AheadRecord = default;
        if (entry.Set is not null && entry.Obstacle != Obstacle.NoSlot && ++entry.RoomAttempts > RoomAttemptsMax)
            return false;
        return entry.Obstacle switch
        {
            Obstacle.NoSlot => TryMakeSlotCounted(key, ref entry),
            Obstacle.NoSegmentRoom => TryMakeSegmentRoom(key, ref entry, (int)bytes),
            Obstacle.LongRecord => TryAllocateLong(key, ref entry, (int)bytes),
            Obstacle.NoBlockRoom => TryPrepay(key, ref entry, bytes),
            _ => false,
        };
    }

    // A set of locks counts its attempts itself, and becomes exclusive; so does that of a single key.
    private bool TryMakeSlotCounted(in EntryKey key, ref EntryLock entry)
    {
        entry.SlotAttempts++;
        bool isMade = TryMakeSlot(key, ref entry);
        if (isMade)
            RoomSteps.At(RoomStep.SlotMade);
        return isMade;
    }

    private bool TryMakeSlot(in EntryKey key, ref EntryLock entry)
    {
        var page = entry.Home.Page;
        long prepaid = 0;
        if (TryFreeCleared(key.Hash) || TrySplit(key.Hash, page, ref prepaid))
            return true;
        bool isSplit = false;
        if (_reclaimer.TryTakeRoom(RequestOf(key, entry, PageBytes, _log.SpareBytes, isLast: true)))
        {
            prepaid = PageBytes;
            isSplit = TrySplit(key.Hash, page, ref prepaid);
            _state.Budget.Add(-prepaid);
        }

        return isSplit || TryEvictFrom(key.Hash, entry.Home);
    }

    private bool TryMakeSegmentRoom(in EntryKey key, ref EntryLock entry, int size)
    {
        _reclaimer.PrepareGhosts(key.Hash, entry.SourceHash);
        _state.GiveBackFor(_log.ActiveBytesFor(size));
        int stripe = _log.OwnStripe;
        if (_log.TryRotate(stripe, entry.Stream, size, _log.SpareBytes))
        {
            // Taken at once: other writers, or an audit, may leave nothing of it.
            if (entry.Set is null && _log.TryAllocate(stripe, entry.Stream, size, out entry.AheadRecord))
                MarkAhead(ref entry, size);
            return true;
        }

        long bytes = _log.ActiveBytesFor(size);
        if (_reclaimer.TryTakeRoom(RequestOf(key, entry, bytes, _log.SpareBytes, isLast: true)))
        {
            if (entry.Set is not null)
                return GiveBack(bytes);
            if (!_log.TryAllocatePrepaid(stripe, entry.Stream, size, bytes, out entry.AheadRecord))
                return false;
            MarkAhead(ref entry, size);
            return true;
        }

        return entry.MayOverdraw && _log.TryRotate(stripe, entry.Stream, size, _log.OverdrawnSpareBytes);
    }

    private bool TryAllocateLong(in EntryKey key, ref EntryLock entry, int size)
    {
        _state.GiveBackFor(_log.LongBytesOf(size));
        if (!_log.TryAllocateLong(entry.Stream, size, _log.SpareBytes, out entry.AheadRecord))
        {
            long bytes = _log.LongBytesOf(size);
            if (!_reclaimer.TryTakeRoom(RequestOf(key, entry, bytes, _log.SpareBytes, isLast: true))
                || !_log.TryAllocateLongPrepaid(entry.Stream, size, bytes, out entry.AheadRecord))
            {
                return false;
            }
        }

        MarkAhead(ref entry, size);
        return true;
    }

    // The room for a block, which is made under the lock.
    private bool TryPrepay(in EntryKey key, ref EntryLock entry, long bytes)
    {
        Debug.Assert(entry.Obstacle == Obstacle.NoBlockRoom);
        Debug.Assert(entry.PrepaidBytes == 0);
        if (!_reclaimer.TryTakeRoom(RequestOf(key, entry, bytes, _log.LinkSpareBytes, isLast: false)))
            return false;
        if (entry.Set is not null)
            return GiveBack(bytes);
        entry.PrepaidBytes = bytes;
        return true;
    }

    // An operation on several keys needs room for all of them, which it takes in parts: others may take it before.
    private bool GiveBack(long bytes)
    {
        _state.Budget.Add(-bytes);
        return true;
    }

    private static void MarkAhead(ref EntryLock entry, int size)
    {
        Debug.Assert(!entry.AheadRecord.IsNull);
        entry.AheadRecord.Header = RecordHeader.Create(0, 0, size, 0, default, large: false);
        RoomSteps.At(RoomStep.RecordTaken);
    }

    private static RoomRequest RequestOf(
        in EntryKey key, in EntryLock entry, long bytes, long spareBytes, bool isLast) => new(
            bytes, spareBytes, key.Hash, entry.SourceHash, HeldBy(entry), isLast);

    /// <summary>What a write holds that is not linked yet.</summary>
    public static HeldBytes HeldBy(in EntryLock entry)
    {
        long aheadBytes = entry.AheadRecord.IsNull ? 0 : entry.AheadRecord.Header.RecordSize;
        long prepaidBytes = entry.PrepaidBytes + ObjectHeap.PrepaidBytes + LongElements.OwnedBytesOfThread;
        return entry.Held + new HeldBytes(aheadBytes, 0, prepaidBytes);
    }
}
