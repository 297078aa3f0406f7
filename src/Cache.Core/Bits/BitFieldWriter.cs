using System.Diagnostics;
using Cache.Core.Layout;
using Cache.Core.Operations;
using Cache.Core.Sharding;

namespace Cache.Core.Bits;

/// <summary>Runs steps on the bits of a key's value, atomically.</summary>
/// <remarks>
/// Under the lock of the key's bucket if that takes short. Else in a copy, while the key is claimed: other writes of
/// the key wait, its readers and the other keys of its bucket do not.
/// </remarks>
internal static class BitFieldWriter
{
    /// <summary>The most steps under a bucket's lock: some tens of microseconds.</summary>
    public const int StepsMax = 4096;

    // Under a claim, only an eviction or an expiry makes an attempt fail, each at most once.
    private const int AttemptsMax = 8;

    /// <remarks>lengthMin: See <see cref="BitFieldOperation"/>.</remarks>
    public static WriteStatus Run(StoreState state, in EntryKey key, Span<BitFieldStep> steps, int lengthMin) =>
        TryRunInPlace(state, key, steps, lengthMin, out var status) ? status
        : lengthMin == 0 ? ReadCopy(state, key, steps)
        : RunClaimed(state, key, steps, lengthMin);

    /// <returns>False if nothing was done because it would take longer than a bucket may be locked.</returns>
    public static bool TryRunInPlace(
        StoreState state, in EntryKey key, Span<BitFieldStep> steps, int lengthMin, out WriteStatus status)
    {
        status = WriteStatus.NotFound;
        if (key.Bytes.Length > EntryKey.LengthMax)
        {
            Debug.Assert(lengthMin == 0, "Such a key is in no store, and nothing is written to it.");
            Read(default, steps);
            return true;
        }

        if (steps.Length > StepsMax)
            return false;
        var operation = new BitFieldOperation(steps, lengthMin, state.ValueLengthMax);
        status = state.ShardOf(key.Hash).Write(key, ref operation);
        return !operation.IsLong;
    }

    private static WriteStatus RunClaimed(StoreState state, in EntryKey key, Span<BitFieldStep> steps, int lengthMin)
    {
        bool isClaimed = key.Locks is null; // A transaction has locked it already.
        if (isClaimed)
            state.Claims.Enter(key.Hash);
        try
        {
            var status = WriteStatus.ConditionNotMet;
            for (int attempts = 0; status == WriteStatus.ConditionNotMet; attempts++)
            {
                Debug.Assert(attempts < AttemptsMax, "No other thread writes the key.");
                status = RunOnCopy(state, key, steps, lengthMin);
            }

            return status;
        }
        finally
        {
            if (isClaimed)
                state.Claims.Exit(key.Hash);
        }
    }

    // A value that is only read stays where it is: a small one must not become a block for that.
    private static WriteStatus ReadCopy(StoreState state, in EntryKey key, Span<BitFieldStep> steps)
    {
        var sink = default(ArraySink);
        var status = state.ShardOf(key.Hash).Read(key, ref sink, lentLengthMin: 1, out var lent);
        try
        {
            if (status == ReadStatus.WrongType)
                return WriteStatus.WrongType;
            Read(lent.IsNull ? sink.Array : lent.Value, steps);
            return status == ReadStatus.Found ? WriteStatus.Done : WriteStatus.NotFound;
        }
        finally
        {
            if (!lent.IsNull)
                state.Return(lent);
        }
    }

    /// <returns>ConditionNotMet if the value was removed meanwhile.</returns>
    private static WriteStatus RunOnCopy(StoreState state, in EntryKey key, Span<BitFieldStep> steps, int lengthMin)
    {
        Debug.Assert(lengthMin > 0, "Nothing is copied for steps that only read.");
        var take = default(TakeBlockOperation);
        var shard = state.ShardOf(key.Hash);
        var status = shard.Write(key, ref take);
        if (status != WriteStatus.Done)
            return status;
        var present = take.Block;
        try
        {
            int end = Math.Max(take.Length, lengthMin);
            return end > state.ValueLengthMax
                ? WriteStatus.ValueTooLong
                : Replace(shard, key, present, end, steps);
        }
        finally
        {
            if (!present.IsNull)
                state.Return(present);
        }
    }

    private static void Read(ReadOnlySpan<byte> present, Span<BitFieldStep> steps)
    {
        foreach (ref var step in steps)
            BitField.Get(ref step, present);
    }

    private static WriteStatus Replace(
        Shard shard, in EntryKey key, LargeBlock present, int end, Span<BitFieldStep> steps)
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

        room[length..].Clear();
        BitFieldOperation.RunAll(steps, room);
        var replace = new ReplaceBlockOperation(
            present, block, BitFieldOperation.ShapeOf(steps, !present.IsNull, end, block));
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
