using System.Diagnostics;
using Cache.Core.Changes;
using Cache.Core.Layout;
using Cache.Core.Sharding;

namespace Cache.Core.Operations;

/// <summary>Writes of a part of a value, which may have many megabytes.</summary>
internal static class RangeWriter
{
    // Under a claim, only an eviction, an expiry or a reader of a lent value makes an attempt fail, each at most once.
    private const int RangeAttemptsMax = 8;

    public static WriteStatus SetRange(
        StoreState state, in EntryKey key, int offset, ReadOnlySpan<byte> value, bool atEnd, out int length)
    {
        var operation = new SetRangeOperation(offset, value, atEnd, state.ValueLengthMax);
        var status = state.ShardOf(key.Hash).Write(key, ref operation);
        length = operation.Length;
        if (!operation.IsLong)
            return status;
        bool isClaimed = key.Locks is null; // A transaction has locked it already.
        if (isClaimed)
            state.Claims.Enter(key.Hash);
        try
        {
            status = WriteStatus.ConditionNotMet;
            for (int attempts = 0; status == WriteStatus.ConditionNotMet; attempts++)
            {
                Debug.Assert(attempts < RangeAttemptsMax, "No other thread writes the key.");
                status = SetLongRange(state, key, offset, value, atEnd, mayExtend: attempts == 0, out length);
            }

            return status;
        }
        finally
        {
            if (isClaimed)
                state.Claims.Exit(key.Hash);
        }
    }

    /// <summary>Writes a part of a claimed key's value without a lock, in a copy or behind its end.</summary>
    /// <returns>ConditionNotMet if the value was removed meanwhile.</returns>
    private static WriteStatus SetLongRange(
        StoreState state, in EntryKey key, int offset, ReadOnlySpan<byte> value, bool atEnd, bool mayExtend,
        out int length)
    {
        var shard = state.ShardOf(key.Hash);
        var take = default(TakeBlockOperation);
        var status = shard.Write(key, ref take);
        var present = take.Block;
        length = take.Length;
        if (status != WriteStatus.Done)
            return status;
        int from = atEnd ? length : offset;
        long end = Math.Max(length, from + (long)value.Length);
        try
        {
            if (end > state.ValueLengthMax)
                return WriteStatus.ValueTooLong;
            bool extends = mayExtend && take.IsAlone && from >= length && present.Capacity >= end;
            status = extends
                ? Extend(shard, key, ref present, from, value)
                : Replace(shard, key, present, from, (int)end, value);
            if (status == WriteStatus.Done)
                length = (int)end;
            return status;
        }
        finally
        {
            if (!present.IsNull)
                state.Return(present);
        }
    }

    // No reader sees the bytes behind the value, and no other thread writes them: the key is claimed.
    private static WriteStatus Extend(
        Shard shard, in EntryKey key, ref LargeBlock block, int from, ReadOnlySpan<byte> value)
    {
        block.Room[block.Length..from].Clear();
        value.CopyTo(block.Room[from..]);
        RoomSteps.At(RoomStep.RangeWritten);
        var extend = new ExtendBlockOperation(block, from, from + value.Length);
        var status = shard.Write(key, ref extend);
        block = extend.Block;
        return status;
    }

    private static WriteStatus Replace(
        Shard shard, in EntryKey key, LargeBlock present, int from, int end, ReadOnlySpan<byte> value)
    {
        var status = WriteStatus.Done;
        if (!shard.TryMakeBlock(key, end, shard.BlockCapacityOf(end), default, out var block, ref status))
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
        RoomSteps.At(RoomStep.RangeWritten);
        var shape = ChangeShape.PatchOf(!present.IsNull, from, value.Length, end, block);
        var replace = new ReplaceBlockOperation(present, block, shape);
        try
        {
            return shard.Write(key, ref replace, HeldBytes.OfBlock(block));
        }
        finally // The store may have been disposed.
        {
            shard.ReleaseUnused(replace.Block);
        }
    }
}
