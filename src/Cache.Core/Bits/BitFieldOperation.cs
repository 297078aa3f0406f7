using Cache.Core.Layout;
using Cache.Core.Sharding;

namespace Cache.Core.Bits;

/// <summary>Runs steps on the bits of a value, which grows as far as they write.</summary>
/// <remarks>lengthMin: How long the value must be for the steps; 0: they only read, and it stays as it is.</remarks>
internal ref struct BitFieldOperation(Span<BitFieldStep> steps, int lengthMin, int valueLengthMax) : IEntryOperation
{
    private readonly Span<BitFieldStep> _steps = steps;

    /// <summary>Whether it would take longer than a bucket may be locked, and nothing was done.</summary>
    public bool IsLong { get; private set; }

    public WriteStatus Run(Shard shard, in EntryKey key, ref EntryLock entry)
    {
        var present = entry.IsFound ? Shard.ValueOf(entry) : default;
        if (lengthMin == 0)
            return Read(ref entry, present);
        int end = Math.Max(present.Length, lengthMin);
        if (end > valueLengthMax)
            return WriteStatus.ValueTooLong;
        if (!shard.IsLarge(key.Bytes.Length, end))
            return WriteSmall(shard, key, ref entry, end);
        IsLong = !TryWriteInPlace(ref entry, end);
        return IsLong ? WriteStatus.ConditionNotMet : WriteStatus.Done;
    }

    /// <summary>Runs the steps on a value that nobody else sees.</summary>
    public static void RunAll(Span<BitFieldStep> steps, Span<byte> value)
    {
        foreach (ref var step in steps)
            BitField.Run(ref step, value);
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
        int length = entry.IsFound ? Shard.ValueOf(entry).Length : 0;
        var expiry = entry.IsFound ? entry.Record.ExpiryOf(entry.Header) : default;
        bool grows = entry.IsFound && end > length;
        if (!shard.TryStage(ref entry, key, end, isLarge: false, expiry, leaveRoom: grows, out var staged))
            return WriteStatus.OutOfMemory;
        // In place too if the record held an address: what was large may be small since the limit was raised.
        if (entry.IsFound && (!staged.IsInPlace || entry.Header.IsLarge))
            Shard.ValueOf(entry).CopyTo(staged.Value);
        staged.Value[length..].Clear();
        RunAll(_steps, staged.Value);
        shard.Publish(ref entry, key, staged, largeBytes: 0);
        return WriteStatus.Done;
    }

    private readonly bool TryWriteInPlace(ref EntryLock entry, int end)
    {
        var block = entry.Block;
        if (!entry.IsFound || !entry.Header.IsLarge || block.IsShared || block.Capacity < end
            || end - block.Length > Shard.StepBytesMax)
        {
            return false;
        }

        if (end > block.Length)
        {
            block.Room[block.Length..end].Clear();
            block.Length = end;
        }

        RunAll(_steps, block.Value);
        entry.IsChanged = true;
        entry.Holder.Touch(entry.Slot);
        return true;
    }
}
