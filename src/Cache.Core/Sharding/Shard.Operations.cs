using System.Runtime.CompilerServices;
using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>The writes of one entry, as the store offers them.</summary>
internal sealed partial class Shard
{
    public WriteStatus Set(in EntryKey key, ReadOnlySpan<byte> value, in EntryOptions options) =>
        options.AllowsOverwrite && value.Length <= _state.ValueLengthMax
            && TryOverwriteInPlace(key.Bytes, key.Hash, key.Keyspace, value)
            ? WriteStatus.Done
            : SetAny(key, value, options);

    /// <summary>Writes a value that lies in a block of its own already, which is used up whatever happens.</summary>
    public WriteStatus Set(in EntryKey key, LargeBlock block, in EntryOptions options)
    {
        var status = CheckLengths(key, block.Length);
        bool isCounted = false;
        try
        {
            isCounted = status == WriteStatus.Done && TryCount(key, block, options);
        }
        finally // The store may have been disposed.
        {
            if (!isCounted)
                _state.ReleaseUncounted(block);
        }

        if (isCounted)
            return WriteBlock(key, block.Value, options, block);
        return status == WriteStatus.Done ? WriteStatus.OutOfMemory : status;
    }

    public WriteStatus Set<TSink>(
        in EntryKey key, ReadOnlySpan<byte> value, in EntryOptions options, ref TSink previous, out bool existed)
        where TSink : struct, IValueSink, allows ref struct
    {
        var status = CheckLengths(key, value.Length);
        if (status != WriteStatus.Done || !TryMakeBlock(key, value, out var block, ref status))
        {
            existed = TryCopy(key, ByteRange.All, ref previous, out var present);
            if (existed)
                previous.Advance(present.CopiedLength);
            return status;
        }

        var operation = new SetOperation(value, options, block);
        int length;
        try
        {
            status = ReadAndWrite(
                key, mustExist: false, HeldBytes.OfBlock(block), ref operation, ref previous, out length);
        }
        finally // The sink may throw.
        {
            ReleaseUnused(operation.Block);
        }

        existed = length >= 0;
        if (existed)
            previous.Advance(length);
        return status;
    }

    public WriteStatus SetIfUnchanged(
        in EntryKey key, ReadOnlySpan<byte> value, in EntryOptions options, EntryVersion version)
    {
        var status = CheckLengths(key, value.Length);
        if (status != WriteStatus.Done || !TryMakeBlock(key, value, out var block, ref status))
            return status;
        var operation = new SetOperation(value, options, block);
        var entry = default(EntryLock);
        entry.Held = HeldBytes.OfBlock(block);
        uint wanted = ReadSnapshot.HomeVersionOf(version);
        int generation = ReadSnapshot.GenerationOf(version);
        try
        {
            do
            {
                Lock(key, ref entry); // Waited for: who holds it may leave without a change.
                status = WriteStatus.ConditionNotMet;
                if (entry.HomeVersion == wanted && entry.Generation == generation && !entry.IsChanged)
                    status = RunAndUnlock(key, ref entry, ref operation);
                else
                    Unlock(ref entry);
            }
            while (entry.Obstacle != Obstacle.None && TryOvercome(key, ref entry, ref status));

            return status;
        }
        finally // The store may have been disposed.
        {
            EndWrite(key, ref entry);
            ReleaseUnused(operation.Block);
        }
    }

    public WriteStatus Increment(in EntryKey key, long delta, out long result)
    {
        var operation = new IncrementOperation(delta);
        var status = Write(key, ref operation);
        result = operation.Result;
        return status;
    }

    public WriteStatus Expire(in EntryKey key, long deadline, ExpireConditions conditions)
    {
        var operation = new ExpireOperation(ExpiryOf(deadline, slidingMs: 0), conditions);
        return WriteExisting(key, ref operation);
    }

    public WriteStatus Persist(in EntryKey key)
    {
        var operation = new ExpireOperation(default, ExpireConditions.IfAny);
        return WriteExisting(key, ref operation);
    }

    public bool Remove(in EntryKey key)
    {
        var operation = default(RemoveOperation);
        return WriteExisting(key, ref operation) == WriteStatus.Done;
    }

    public bool TryRemove<TSink>(in EntryKey key, ref TSink sink)
        where TSink : struct, IValueSink, allows ref struct
    {
        var operation = default(RemoveOperation);
        if (TryReadAndWrite(key, ref operation, ref sink, out _))
            return true;
        if (!_state.Watched.IsEmpty)
        {
            var absence = default(AbsenceOperation);
            WriteExisting(key, ref absence);
        }

        return false;
    }

    public bool TryGetAndExpire<TSink>(in EntryKey key, long deadline, ref TSink sink, out WriteStatus status)
        where TSink : struct, IValueSink, allows ref struct
    {
        var operation = new ExpireOperation(ExpiryOf(deadline, slidingMs: 0), ExpireConditions.None);
        return TryReadAndWrite(key, ref operation, ref sink, out status);
    }

    // Not inlined: what it keeps on the stack would be made ready by every write.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private WriteStatus SetAny(in EntryKey key, ReadOnlySpan<byte> value, in EntryOptions options)
    {
        var status = CheckLengths(key, value.Length);
        if (status != WriteStatus.Done)
            return status;
        if (options.ReplacesAll && IsLarge(key.Bytes.Length, value.Length))
            EvictWhatCannotStay(key, _state.BlockBytesOf(value.Length));
        if (!TryMakeBlock(key, value, out var block, ref status))
            return status;
        if (!block.IsNull)
            return WriteBlock(key, value, options, block);
        var operation = new SetOperation(value, options, block);
        return Write(key, ref operation);
    }

    /// <summary>Takes the room for a block, and begins to count it.</summary>
    private bool TryCount(in EntryKey key, LargeBlock block, in EntryOptions options)
    {
        if (_state.TryCount(block))
            return true;
        if (options.ReplacesAll)
            EvictWhatCannotStay(key, block.SizeBytes);
        if (!TryTakeRoomFor(block.SizeBytes, key, default))
            return false;
        _state.CountPrepaid(block);
        return true;
    }

    /// <summary>Writes a value that lies in a block of its own, which is used up whatever happens.</summary>
    private WriteStatus WriteBlock(
        in EntryKey key, ReadOnlySpan<byte> value, in EntryOptions options, LargeBlock block)
    {
        var operation = new SetOperation(value, options, block);
        try
        {
            return Write(key, ref operation, HeldBytes.OfBlock(block));
        }
        finally // The store may have been disposed.
        {
            ReleaseUnused(operation.Block);
        }
    }

    private bool TryReadAndWrite<TOperation, TSink>(
        in EntryKey key, ref TOperation operation, ref TSink sink, out WriteStatus status)
        where TOperation : struct, IEntryOperation, allows ref struct
        where TSink : struct, IValueSink, allows ref struct
    {
        status = ReadAndWrite(key, mustExist: true, default, ref operation, ref sink, out int length);
        if (length < 0)
        {
            _state.Counters.Miss();
            return false;
        }

        _state.Counters.Hit();
        if (status != WriteStatus.Done)
            return false;
        sink.Advance(length);
        return true;
    }

    // A key that is too long is in no store, so there is nothing to write either.
    private WriteStatus WriteExisting<TOperation>(in EntryKey key, ref TOperation operation)
        where TOperation : struct, IEntryOperation, allows ref struct =>
        key.Bytes.Length > EntryKey.LengthMax ? WriteStatus.NotFound : Write(key, ref operation);

    private WriteStatus CheckLengths(in EntryKey key, int valueLength)
    {
        if (key.Bytes.Length > EntryKey.LengthMax)
            return WriteStatus.KeyTooLong;
        return valueLength > _state.ValueLengthMax ? WriteStatus.ValueTooLong : WriteStatus.Done;
    }

    /// <summary>Puts a large value into a block, before any lock; a smaller one has none.</summary>
    private bool TryMakeBlock(
        in EntryKey key, ReadOnlySpan<byte> value, out LargeBlock block, ref WriteStatus status) =>
        TryMakeBlock(key, value, default, out block, ref status);

    private bool TryMakeBlock(
        in EntryKey key, ReadOnlySpan<byte> value, in HeldBytes held, out LargeBlock block, ref WriteStatus status)
    {
        block = default;
        if (!IsLarge(key.Bytes.Length, value.Length))
            return true;
        if (!TryMakeBlock(key, value.Length, value.Length, held, out block, ref status))
            return false;
        value.CopyTo(block.Value);
        return true;
    }

    /// <summary>Makes a block for a value of a length, before any lock.</summary>
    public bool TryMakeBlock(
        in EntryKey key, int length, int capacity, in HeldBytes held, out LargeBlock block, ref WriteStatus status)
    {
        if (!_state.TryCreateBlock(length, capacity, prepaidBytes: 0, out block))
        {
            long bytes = _state.BlockBytesOf(capacity);
            if (!TryTakeRoomFor(bytes, key, held) || !_state.TryCreateBlock(length, capacity, bytes, out block))
            {
                _state.ThrowIfDisposed(); // That is why there is no memory. Nothing is locked here.
                status = WriteStatus.OutOfMemory;
                return false;
            }
        }

        RoomSteps.At(RoomStep.BlockTaken);
        return true;
    }

    /// <summary>Evicts a large value that is about to be replaced, if the new one has no room beside it.</summary>
    private void EvictWhatCannotStay(in EntryKey key, long newBytes)
    {
        long room = _state.Budget.LimitBytes - _state.Reclaimer.UnevictableBytes - _log.LinkSpareBytes;
        if (newBytes > room || _state.Budget.HasRoomFor(newBytes + _log.LinkSpareBytes))
            return;
        var entry = default(EntryLock);
        Lock(key, ref entry);
        if (entry.IsFound && entry.Header.IsLarge && !entry.Block.IsShared
            && entry.Block.SizeBytes > room - newBytes
            && _state.Reclaimer.AllowsEviction(entry.Header.IsExpiring))
        {
            RemoveLocked(ref entry);
            Interlocked.Increment(ref _evictions);
        }

        Unlock(ref entry);
    }

    private bool TryTakeRoomFor(long bytes, in EntryKey key, in HeldBytes held) => _state.Reclaimer.TryTakeRoom(
        new RoomRequest(bytes, _log.LinkSpareBytes, key.Hash, 0, held, IsLast: false));

    /// <summary>Gives back a block that no entry took; null is ignored.</summary>
    public void ReleaseUnused(LargeBlock block)
    {
        if (!block.IsNull)
            _state.Release(block);
    }
}
