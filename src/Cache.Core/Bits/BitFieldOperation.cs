using Cache.Core.Changes;
using Cache.Core.Layout;
using Cache.Core.Sharding;

namespace Cache.Core.Bits;

/// <summary>Runs steps on the bits of a value, which grows if they write behind its end.</summary>
/// <remarks>lengthMin: The length that the steps need; 0: they only read, and the value stays unchanged.</remarks>
internal ref struct BitFieldOperation(Span<BitFieldStep> steps, int lengthMin, int valueLengthMax) : IEntryOperation
{
    private readonly Span<BitFieldStep> _steps = steps;

    /// <summary>Whether nothing was done because it would take longer than a bucket may be locked.</summary>
    public bool IsLong { get; private set; }

    public WriteStatus Run(Shard shard, in EntryKey key, ref EntryLock entry)
    {
        if (entry.IsOtherKind)
            return WriteStatus.WrongType;
        var present = entry.IsFound ? shard.ValueOf(ref entry) : default;
        if (lengthMin == 0)
            return Read(ref entry, present);
        int end = Math.Max(present.Length, lengthMin);
        if (end > valueLengthMax)
            return WriteStatus.ValueTooLong;
        if (entry.IsFound && end == present.Length && AreThere(present))
            return Read(ref entry, present);
        if (!shard.IsLarge(key.Bytes.Length, end))
            return WriteSmall(shard, key, ref entry, end);
        return WriteInBlock(shard, key, ref entry, end);
    }

    /// <summary>Runs the steps on a value that no other thread sees.</summary>
    public static void RunAll(Span<BitFieldStep> steps, Span<byte> value)
    {
        foreach (ref var step in steps)
            BitField.Run(ref step, value);
    }

    /// <summary>The change that the steps make: all bytes from the first to the last that they write.</summary>
    /// <remarks>
    /// end: The value's length afterwards.
    /// </remarks>
    public static ChangeShape ShapeOf(ReadOnlySpan<BitFieldStep> steps, bool exists, int end, LargeBlock block)
    {
        long first = long.MaxValue;
        long last = 0;
        foreach (ref readonly var step in steps)
        {
            if (step.LengthMin == 0)
                continue;
            first = Math.Min(first, step.Offset / 8);
            last = Math.Max(last, step.LengthMin);
        }

        return ChangeShape.PatchOf(exists, (int)first, (int)(last - first), end, block);
    }

    // As in Redis, a bit that is set to what it is is no change: nobody is told, and nothing is recorded.
    private readonly bool AreThere(ReadOnlySpan<byte> present)
    {
        foreach (var step in _steps)
        {
            if (step.Action == BitFieldAction.Add || (step.Action == BitFieldAction.Set && !IsThere(step, present)))
                return false;
        }

        return true;
    }

    private static bool IsThere(BitFieldStep step, ReadOnlySpan<byte> present)
    {
        BitField.Get(ref step, present);
        ulong bits = step.Overflow == BitFieldOverflow.Wrap ? ulong.MaxValue >> (64 - step.Width) : ulong.MaxValue;
        return ((ulong)(step.Result!.Value ^ step.Value) & bits) == 0;
    }

    private readonly WriteStatus Read(ref EntryLock entry, ReadOnlySpan<byte> present)
    {
        foreach (ref var step in _steps)
            BitField.Get(ref step, present);
        if (!entry.IsFound)
            return WriteStatus.NotFound;
        entry.Holder.Touch(entry.Slot);
        return WriteStatus.Done;
    }

    private readonly WriteStatus WriteSmall(Shard shard, in EntryKey key, ref EntryLock entry, int end)
    {
        int length = entry.IsFound ? entry.ValueLength : 0;
        var expiry = entry.IsFound ? entry.Record.ExpiryOf(entry.Header) : default;
        bool grows = entry.IsFound && end > length;
        var shape = ShapeOf(_steps, entry.IsFound, end, default);
        if (!shard.TryStage(ref entry, key, end, isLarge: false, expiry, leaveRoom: grows, shape, out var staged))
            return WriteStatus.OutOfMemory;
        // In place also if the record held an address: a value that was large may be small since the limit was raised.
        if (entry.IsFound && (!staged.IsInPlace || entry.Header.IsLarge))
            shard.ValueOf(ref entry).CopyTo(staged.Value);
        staged.Value[length..].Clear();
        RunAll(_steps, staged.Value);
        shard.Publish(ref entry, key, staged, largeBytes: 0);
        return WriteStatus.Done;
    }

    private WriteStatus WriteInBlock(Shard shard, in EntryKey key, ref EntryLock entry, int end)
    {
        var block = entry.Block;
        var shape = ShapeOf(_steps, exists: true, end, default);
        if (!entry.IsFound || !entry.Header.IsLarge || block.IsShared || block.Capacity < end
            || end - block.Length > Shard.StepBytesMax || !shard.MayRecordHere(key, shape))
        {
            IsLong = true;
            return WriteStatus.ConditionNotMet;
        }

        IsLong = false;
        if (!shard.TryReserve(ref entry, key, default, shape))
            return WriteStatus.OutOfMemory;
        if (end > block.Length)
        {
            block.Room[block.Length..end].Clear();
            block.Length = end;
        }

        RunAll(_steps, block.Value);
        shard.CommitInBlock(ref entry);
        return WriteStatus.Done;
    }
}
