using System.Diagnostics;
using Cache.Core.Changes;
using Cache.Core.Collections.Objects;
using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>This shard's part in operations on several keys.</summary>
internal sealed partial class Shard
{
    /// <summary>The size of the block that a prepared record of a large value points at, else 0.</summary>
    /// <remarks>Not by way of the record: a disposal may have given its memory back.</remarks>
    public static long LargeBytesOf(in StagedRecord staged) => staged.Block.IsNull ? 0 : staged.Block.SizeBytes;

    /// <summary>What a new record, and the block of a large value, take.</summary>
    public static long NewBytesOf(
        SharedState state, int keyLength, int valueLength, int capacity, in RecordExpiry expiry) =>
        state.IsLarge(keyLength, valueLength)
            ? Record.SizeOf(keyLength, LargeBlock.StubLength, expiry) + state.BlockBytesOf(capacity)
            : Record.SizeOf(keyLength, valueLength, expiry);

    /// <summary>Writes a record that nothing points at yet, and that is therefore not reclaimed either.</summary>
    /// <remarks>held: What was prepared before.</remarks>
    public WriteStatus Prepare(
        in EntryKey key, ReadOnlySpan<byte> value, in HeldBytes held, out StagedRecord staged)
    {
        staged = default;
        var status = WriteStatus.Done;
        if (!TryMakeBlock(key, value, held, out var block, ref status))
            return status;
        bool isLarge = !block.IsNull;
        int length = isLarge ? LargeBlock.StubLength : value.Length;
        int size = Record.SizeOf(key.Bytes.Length, length, default);
        var entry = default(EntryLock);
        entry.Held = held + new HeldBytes(0, isLarge ? block.SizeBytes : 0, 0);
        Record record;
        bool isAllocated = false;
        try
        {
            while (!TryAllocate(ref entry, key, size, expiring: false, out record))
            {
                if (!TryOvercome(key, ref entry, ref status))
                    return status;
            }

            isAllocated = true;
        }
        finally // The store may have been disposed.
        {
            EndWrite(key, ref entry);
            if (!isAllocated)
                ReleaseUnused(block);
        }

        var header = RecordHeader.Create(key.Bytes.Length, key.Keyspace, size, length, default, isLarge);
        record.Header = header;
        record.WriteKey(key.Bytes);
        staged = new StagedRecord(record, header, default, isInPlace: false)
        {
            Block = block,
            Kind = ChangeKind.Set,
        };
        if (isLarge)
            block.WriteStub(staged.Value);
        else
            value.CopyTo(staged.Value);
        return WriteStatus.Done;
    }

    /// <summary>Gives back a prepared record that was not linked; one that was never made is ignored.</summary>
    public void AbandonPrepared(in StagedRecord staged)
    {
        if (staged.Target.IsNull)
            return;
        ReleaseUnused(staged.Block);
        _log.Abandon(staged.Target, staged.Header.RecordSize);
    }

    /// <summary>Points a key's slot at a prepared record, under a set of locks.</summary>
    /// <remarks>While others read through the locks, only finds and reserves the slot: the caller links.</remarks>
    /// <returns>False if an obstacle was met; the entry names it.</returns>
    public bool TryLinkIn(KeyLocks locks, in EntryKey key, ref EntryLock entry, in StagedRecord staged)
    {
        if (!TryLockIn(locks, key, ref entry))
        {
            entry.Fail(Obstacle.Contention);
            return false;
        }

        if (!entry.IsFound && !TryReserveSlot(ref entry))
        {
            Unlock(ref entry);
            return false;
        }

        if (locks.IsReadable)
            locks.Reserve(entry.Home, entry.Holder, entry.Slot);
        else
            Link(ref entry, key, staged);
        return true;
    }

    /// <summary>Gives a key the value and expiry of another's entry; both are locked by a set.</summary>
    /// <remarks>
    /// removes: Whether the source goes after this, which its removal then tells the journal. image: Of a large
    /// collection, what a journal gets. copy: Of one that stays, a copy; none once the key has it.
    /// </remarks>
    public WriteStatus WriteCopy(
        KeyLocks locks, ref EntryLock entry, in EntryKey key, in EntryLock source, in EntryKey from, bool removes,
        in ObjectImage image, ref ObjectStub copy)
    {
        var header = source.Header;
        var expiry = source.Record.ExpiryOf(header);
        var wanted = header.WithKey(key.Bytes.Length, key.Keyspace);
        bool isTold = Listeners is not null || key.Locks is not null;
        if (isTold && header.IsCompressed)
            UnpackTo(ref entry, source.StoredValue, source.ValueLength); // For the journal.
        if (!TryStageUntold(ref entry, key, wanted, expiry, leaveRoom: false, ChangeKind.Set, out var staged))
        {
            return WriteStatus.OutOfMemory;
        }

        if (isTold && !TryReserveCopy(locks, ref entry, key, source, from, removes, image))
        {
            Abandon(staged);
            return WriteStatus.OutOfMemory;
        }

        staged = staged with { Cause = ChangeCause.Moved };
        var rest = header.IsPaged ? WriteImage(ref entry, key, image) : null;
        if (copy.IsNone || removes || !header.IsPaged)
        {
            PublishCopy(ref entry, key, staged, source);
            entry.Recorder ??= rest;
            return WriteStatus.Done;
        }

        copy.Write(staged.Value);
        Publish(ref entry, key, staged, _state.Objects!.Account(copy));
        entry.Recorder ??= rest;
        _state.Objects.EndMaking();
        copy = default;
        return WriteStatus.Done;
    }

    // What a journal gets of a large collection is not what its record has.
    private static ChangeRecorder? WriteImage(ref EntryLock entry, in EntryKey key, in ObjectImage image)
    {
        var recorder = entry.Recorder;
        entry.Recorder = null;
        return recorder is null || recorder.Write(key.Bytes, image.Bytes) ? null : recorder;
    }

    private bool TryReserveCopy(
        KeyLocks locks, ref EntryLock entry, in EntryKey key, in EntryLock source, in EntryKey from, bool removes,
        in ObjectImage image)
    {
        Debug.Assert(source.IsFound);
        if (RecorderFor(key) is not { } recorder)
            return true;
        if (source.Header.IsPaged && image.IsNone) // It was attached meanwhile; a transaction has its recorder before.
        {
            Debug.Assert(!recorder.IsGroup);
            recorder.End();
            entry.Fail(Obstacle.Contention);
            return false;
        }

        entry.Recorder = recorder; // Set before the next calls, which may run out of memory: the unlock then ends it.
        var shape = source.Header.IsPaged
            ? ShapeOf(image, source.Header.Kind)
            : ShapeOf(source.Record, source.Header);
        Add(_state, recorder, key, source.Record.ExpiryOf(source.Header), shape);
        if (removes)
            AddRemoval(_state, recorder, from);
        if (TryReserve(_state, recorder, 1U << key.Keyspace | 1U << from.Keyspace, locks.Generations, ref entry))
            return true;
        entry.Recorder = null;
        return false;
    }
}
