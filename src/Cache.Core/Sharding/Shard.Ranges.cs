using System.Diagnostics;
using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>Writes of a part of a value, which may be of many megabytes.</summary>
internal sealed partial class Shard
{
    /// <summary>
    /// The bytes that may be written under the lock of a bucket: some tens of microseconds, for all keys of the bucket.
    /// </summary>
    public const int StepBytesMax = 256 << 10;

    // Under a claim, only an eviction, an expiry or a reader of a lent value comes between, and not twice.
    private const int RangeAttemptsMax = 8;

    public WriteStatus SetRange(in EntryKey key, int offset, ReadOnlySpan<byte> value, bool atEnd, out int length)
    {
        var operation = new SetRangeOperation(offset, value, atEnd, _state.ValueLengthMax);
        var status = Write(key, ref operation);
        length = operation.Length;
        if (!operation.IsLong)
            return status;
        _state.Claims.Enter(key.Hash);
        try
        {
            status = WriteStatus.ConditionNotMet;
            for (int attempts = 0; status == WriteStatus.ConditionNotMet; attempts++)
            {
                Debug.Assert(attempts < RangeAttemptsMax, "Nobody else writes the key.");
                status = SetLongRange(key, offset, value, atEnd, mayExtend: attempts == 0, out length);
            }

            return status;
        }
        finally
        {
            _state.Claims.Exit(key.Hash);
        }
    }

    /// <summary>Points the locked entry at a block, and leaves its expiry.</summary>
    public bool TryPublishBlock(ref EntryLock entry, in EntryKey key, LargeBlock block)
    {
        var expiry = entry.IsFound ? entry.Record.ExpiryOf(entry.Header) : default;
        if (!TryStage(ref entry, key, LargeBlock.StubLength, isLarge: true, expiry, leaveRoom: false, out var staged))
            return false;
        block.WriteStub(staged.Value);
        Publish(ref entry, key, staged, block.SizeBytes);
        return true;
    }

    /// <summary>Whether the locked entry's value still is a block; of null: whether there still is no entry.</summary>
    public static bool Holds(in EntryLock entry, LargeBlock block) =>
        block.IsNull ? !entry.IsFound : entry.IsFound && entry.Header.IsLarge && entry.Block.IsSame(block);

    /// <summary>Writes a part of a claimed key's value without any lock, in a copy or behind its end.</summary>
    /// <returns>ConditionNotMet if the value went meanwhile.</returns>
    private WriteStatus SetLongRange(
        in EntryKey key, int offset, ReadOnlySpan<byte> value, bool atEnd, bool mayExtend, out int length)
    {
        var take = default(TakeBlockOperation);
        var status = Write(key, ref take);
        var present = take.Block;
        length = take.Length;
        if (status != WriteStatus.Done)
            return status;
        int from = atEnd ? length : offset;
        long end = Math.Max(length, from + (long)value.Length);
        try
        {
            if (end > _state.ValueLengthMax)
                return WriteStatus.ValueTooLong;
            bool extends = mayExtend && take.IsAlone && from >= length && present.Capacity >= end;
            status = extends
                ? Extend(key, ref present, from, value)
                : Replace(key, present, from, (int)end, value);
            if (status == WriteStatus.Done)
                length = (int)end;
            return status;
        }
        finally
        {
            if (!present.IsNull)
                _state.Return(present);
        }
    }

    // Nobody reads what lies behind the value, and nobody else writes there: the key is claimed.
    private WriteStatus Extend(in EntryKey key, ref LargeBlock block, int from, ReadOnlySpan<byte> value)
    {
        block.Room[block.Length..from].Clear();
        value.CopyTo(block.Room[from..]);
        var extend = new ExtendBlockOperation(block, from + value.Length);
        var status = Write(key, ref extend);
        block = extend.Block;
        return status;
    }

    private WriteStatus Replace(in EntryKey key, LargeBlock present, int from, int end, ReadOnlySpan<byte> value)
    {
        var status = WriteStatus.Done;
        if (!TryMakeBlock(key, end, BlockCapacityOf(end), default, out var block, ref status))
            return status;
        var room = block.Value;
        int length = 0;
        if (!present.IsNull)
        {
            length = present.Length;
            present.Value.CopyTo(room);
        }

        if (from > length)
            room[length..from].Clear();
        value.CopyTo(room[from..]);
        var replace = new ReplaceBlockOperation(present, block);
        try
        {
            return Write(key, ref replace, HeldBytes.OfBlock(block));
        }
        finally // The store may have been disposed.
        {
            ReleaseUnused(replace.Block);
        }
    }
}
