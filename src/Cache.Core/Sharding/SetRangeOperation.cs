using Cache.Core.Contracts;
using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>Writes a part of a value, which grows as far as needed.</summary>
internal ref struct SetRangeOperation(int offset, ReadOnlySpan<byte> value, bool atEnd, int valueLengthMax)
    : IEntryOperation
{
    private readonly ReadOnlySpan<byte> _value = value;

    /// <summary>The value's length afterwards, also if nothing was written.</summary>
    public int Length { get; private set; }

    public WriteStatus Run(Shard shard, in EntryKey key, ref EntryLock entry)
    {
        Length = entry.IsFound ? Shard.ValueOf(entry).Length : 0;
        long from = atEnd ? Length : offset;
        long end = Math.Max(Length, from + _value.Length);
        if (end > valueLengthMax)
            return WriteStatus.ValueTooLong;
        return shard.IsLarge(key.Bytes.Length, (int)end)
            ? WriteLarge(shard, key, ref entry, (int)from, (int)end)
            : WriteSmall(shard, key, ref entry, (int)from, (int)end);
    }

    private WriteStatus WriteSmall(Shard shard, in EntryKey key, ref EntryLock entry, int from, int end)
    {
        var expiry = entry.IsFound ? entry.Record.ExpiryOf(entry.Header) : default;
        if (!shard.TryStage(ref entry, key, end, isLarge: false, expiry, leaveRoom: atEnd, out var staged))
            return WriteStatus.OutOfMemory;
        // In place too if the record held an address: what was large may be small since the limit was raised.
        if (entry.IsFound && (!staged.IsInPlace || entry.Header.IsLarge))
            Shard.ValueOf(entry).CopyTo(staged.Value);
        Fill(staged.Value, from);
        shard.Publish(ref entry, key, staged, largeBytes: 0);
        Length = end;
        return WriteStatus.Done;
    }

    private WriteStatus WriteLarge(Shard shard, in EntryKey key, ref EntryLock entry, int from, int end)
    {
        var block = entry.Block;
        bool inPlace = entry.IsFound && entry.Header.IsLarge && !block.IsShared && block.Capacity >= end;
        if (!inPlace && !shard.TryCreateBlock(ref entry, end, out block))
            return WriteStatus.OutOfMemory;
        var expiry = entry.IsFound ? entry.Record.ExpiryOf(entry.Header) : default;
        if (!shard.TryStage(
            ref entry, key, LargeBlock.StubLength, isLarge: true, expiry, leaveRoom: false, out var staged))
        {
            if (!inPlace)
                shard.Release(block);
            return WriteStatus.OutOfMemory;
        }

        if (inPlace)
            block.AddReference(); // One for the record again; publishing gives up the one that it had.
        else if (entry.IsFound)
            Shard.ValueOf(entry).CopyTo(block.Room);
        Fill(block.Room, from);
        block.Length = end;
        block.WriteStub(staged.Value);
        shard.Publish(ref entry, key, staged, block.SizeBytes);
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
