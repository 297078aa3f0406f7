using Cache.Core.Changes;
using Cache.Core.Sharding;

namespace Cache.Core.Operations;

/// <summary>Adds to a value that is a decimal integer.</summary>
internal struct IncrementOperation(long delta) : IEntryOperation
{
    public long Result { get; private set; }

    public WriteStatus Run(Shard shard, in EntryKey key, ref EntryLock entry)
    {
        if (entry.IsOtherKind)
            return WriteStatus.WrongType;
        long present = 0;
        if (entry.IsFound && !CanonicalInteger.TryParse(shard.ValueOf(ref entry), out present))
            return WriteStatus.NotAnInteger;
        Result = present;
        if (!CanonicalInteger.TryAdd(present, delta, out long sum))
            return WriteStatus.Overflow;
        Span<byte> text = stackalloc byte[CanonicalInteger.LengthMax];
        int length = CanonicalInteger.Format(sum, text);
        var expiry = entry.IsFound ? entry.Record.ExpiryOf(entry.Header) : default;
        var shape = ChangeShape.Set(length);
        if (!shard.TryStage(ref entry, key, length, isLarge: false, expiry, leaveRoom: false, shape, out var staged))
            return WriteStatus.OutOfMemory;
        text[..length].CopyTo(staged.Value);
        shard.Publish(ref entry, key, staged, largeBytes: 0);
        Result = sum;
        return WriteStatus.Done;
    }
}
