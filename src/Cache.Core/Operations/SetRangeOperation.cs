using Cache.Core.Changes;
using Cache.Core.Layout;
using Cache.Core.Sharding;

namespace Cache.Core.Operations;

/// <summary>Writes a part of a value, which grows if needed.</summary>
internal ref struct SetRangeOperation(int offset, ReadOnlySpan<byte> value, bool atEnd, int valueLengthMax)
    : IEntryOperation
{
    private readonly ReadOnlySpan<byte> _value = value;

    /// <summary>The value's length afterwards, also if nothing was written.</summary>
    public int Length { get; private set; }

    /// <summary>Whether nothing was done because it would take longer than a bucket may be locked.</summary>
    public bool IsLong { get; private set; }

    public WriteStatus Run(Shard shard, in EntryKey key, ref EntryLock entry)
    {
        if (entry.IsOtherKind)
            return WriteStatus.WrongType;
        Length = entry.IsFound ? entry.ValueLength : 0;
        long from = atEnd ? Length : offset;
        long end = Math.Max(Length, from + _value.Length);
        if (end > valueLengthMax)
            return WriteStatus.ValueTooLong;
        if (!shard.IsLarge(key.Bytes.Length, (int)end))
            return WriteSmall(shard, key, ref entry, (int)from, (int)end);
        return WriteInBlock(shard, key, ref entry, (int)from, (int)end);
    }

    private WriteStatus WriteSmall(Shard shard, in EntryKey key, ref EntryLock entry, int from, int end)
    {
        var expiry = entry.IsFound ? entry.Record.ExpiryOf(entry.Header) : default;
        var shape = ChangeShape.PatchOf(entry.IsFound, from, _value.Length, end);
        var present = entry.IsFound ? shard.ValueOf(ref entry) : default; // There may be no memory to decode it.
        if (!shard.TryStage(ref entry, key, end, isLarge: false, expiry, leaveRoom: atEnd, shape, out var staged))
            return WriteStatus.OutOfMemory;
        // In place also if the record held an address: a value that was large may be small since the limit was raised.
        if (entry.IsFound && (!staged.IsInPlace || entry.Header.IsLarge))
            present.CopyTo(staged.Value);
        Fill(staged.Value, from);
        shard.Publish(ref entry, key, staged, largeBytes: 0);
        Length = end;
        return WriteStatus.Done;
    }

    private WriteStatus WriteInBlock(Shard shard, in EntryKey key, ref EntryLock entry, int from, int end)
    {
        var block = entry.Block;
        if (!entry.IsFound || !entry.Header.IsLarge || block.IsShared || block.Capacity < end
            || from + _value.Length - Math.Min(Length, from) > Shard.StepBytesMax)
        {
            IsLong = true;
            return WriteStatus.ConditionNotMet;
        }

        IsLong = false;
        if (!shard.TryReserve(ref entry, key, default, ChangeShape.PatchOf(true, from, _value.Length, end)))
            return WriteStatus.OutOfMemory;
        Fill(block.Room, from);
        block.Length = end;
        shard.CommitInBlock(ref entry);
        Length = end;
        return WriteStatus.Done;
    }

    private readonly void Fill(Span<byte> room, int from)
    {
        if (from > Length)
            room[Length..from].Clear();
        _value.CopyTo(room[from..]);
    }
}
