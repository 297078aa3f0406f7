using Cache.Core.Changes;
using Cache.Core.Layout;
using Cache.Core.Sharding;

namespace Cache.Core.Collections;

/// <summary>Gives a key a large collection, whatever it had.</summary>
/// <remarks>stored: What a journal is told of it; empty: nothing was made. block: That has it, or none.</remarks>
internal ref struct SetObjectOperation(
    EntryKind kind, ObjectStub stub, EntryOptions options, ReadOnlySpan<byte> stored, LargeBlock block = default)
    : IEntryOperation
{
    private readonly ReadOnlySpan<byte> _stored = stored;

    /// <summary>Whether the key has it now.</summary>
    public bool IsLinked { get; private set; }

    public WriteStatus Run(Shard shard, in EntryKey key, ref EntryLock entry)
    {
        if (options.Condition == (entry.IsFound ? SetCondition.IfAbsent : SetCondition.IfPresent))
            return WriteStatus.ConditionNotMet;
        if (_stored.IsEmpty && shard.Records(key))
            return WriteStatus.CollectionTooLong; // The journal was attached meanwhile.
        (entry.BelongsToMain, entry.UseCount) = (options.IsMain, options.UseCount);
        var shape = new ChangeShape(ChangeKind.Set, 0, _stored.Length, block)
        {
            EntryKind = kind,
            IsOfElements = !block.IsNull,
            IsUntold = _stored.IsEmpty,
        };
        if (!shard.TryPublishObject(ref entry, key, stub, shard.ExpiryOf(options), shape, _stored))
            return WriteStatus.OutOfMemory;
        IsLinked = true;
        return WriteStatus.Done;
    }
}
