using System.Buffers.Text;
using System.Diagnostics;
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
        long sum = unchecked(present + delta);
        Result = present;
        if (((present ^ sum) & (delta ^ sum)) < 0)
            return WriteStatus.Overflow;
        Span<byte> text = stackalloc byte[CanonicalInteger.LengthMax];
        bool formatted = Utf8Formatter.TryFormat(sum, text, out int length);
        Debug.Assert(formatted, "Twenty digits hold every 64-bit integer.");
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
