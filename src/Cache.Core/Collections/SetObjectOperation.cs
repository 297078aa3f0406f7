using Cache.Core.Changes;
using Cache.Core.Layout;
using Cache.Core.Sharding;

namespace Cache.Core.Collections;

/// <summary>Gives a key a large collection, whatever it had.</summary>
/// <remarks>stored: What a journal is told of it; empty: more than it takes.</remarks>
internal ref struct SetObjectOperation(
    EntryKind kind, ObjectStub stub, EntryOptions options, ReadOnlySpan<byte> stored) : IEntryOperation
{
    private readonly ReadOnlySpan<byte> _stored = stored;

    /// <summary>Whether the key has it now.</summary>
    public bool IsLinked { get; private set; }

    public WriteStatus Run(Shard shard, in EntryKey key, ref EntryLock entry)
    {
        if (options.Condition == (entry.IsFound ? SetCondition.IfAbsent : SetCondition.IfPresent))
            return WriteStatus.ConditionNotMet;
        if (_stored.IsEmpty && shard.RecordsLargeCollections(key))
            return WriteStatus.CollectionTooLong; // No journal takes it.
        (entry.BelongsToMain, entry.UseCount) = (options.IsMain, options.UseCount);
        var shape = ChangeShape.Set(_stored.Length) with { EntryKind = kind, IsUntold = _stored.IsEmpty };
        if (!shard.TryPublishObject(ref entry, key, stub, shard.ExpiryOf(options), shape, _stored))
            return WriteStatus.OutOfMemory;
        IsLinked = true;
        return WriteStatus.Done;
    }
}
