using Cache.Core.Changes;
using Cache.Core.Layout;
using Cache.Core.Sharding;

namespace Cache.Core.Operations;

/// <summary>Writes a value that the caller's code computes from the present one, both under the key's lock.</summary>
/// <remarks>It may run again after an obstacle: then the value is computed again.</remarks>
internal ref struct UpdateOperation<TUpdate>(TUpdate update, int valueLengthMax) : IEntryOperation
    where TUpdate : struct, IValueUpdate, allows ref struct
{
    /// <summary>The caller's code.</summary>
    public TUpdate Update = update;

    public WriteStatus Run(Shard shard, in EntryKey key, ref EntryLock entry)
    {
        if (entry.IsOtherKind)
            return WriteStatus.WrongType;
        var present = entry.IsFound ? shard.ValueOf(ref entry) : default;
        var status = ValueUpdater.Make(present.Length, present, entry.IsFound, ref Update);
        if (status != WriteStatus.Done)
            return status;
        var value = Update.Value;
        if (value.Length > valueLengthMax)
            return WriteStatus.ValueTooLong;
        return shard.IsLarge(key.Bytes.Length, value.Length)
            ? WriteBlock(shard, key, ref entry, value)
            : WriteSmall(shard, key, ref entry, value);
    }

    private static WriteStatus WriteSmall(
        Shard shard, in EntryKey key, ref EntryLock entry, scoped ReadOnlySpan<byte> value)
    {
        var expiry = entry.IsFound ? entry.Record.ExpiryOf(entry.Header) : default;
        var shape = ChangeShape.Set(value.Length);
        if (!shard.TryStage(
            ref entry, key, value.Length, isLarge: false, expiry, leaveRoom: false, shape, out var staged))
        {
            return WriteStatus.OutOfMemory;
        }

        value.CopyTo(staged.Value);
        shard.Publish(ref entry, key, staged, largeBytes: 0);
        return WriteStatus.Done;
    }

    // In its own block: bounded by the longest value that an update may make.
    private static WriteStatus WriteBlock(
        Shard shard, in EntryKey key, ref EntryLock entry, scoped ReadOnlySpan<byte> value)
    {
        if (!shard.TryCreateBlock(ref entry, value.Length, out var block))
            return WriteStatus.OutOfMemory;
        value.CopyTo(block.Value);
        if (shard.TryPublishBlock(ref entry, key, block, ChangeShape.Set(block)))
            return WriteStatus.Done;
        shard.ReleaseForNow(ref entry, block);
        return WriteStatus.OutOfMemory;
    }
}
