using Cache.Core.Changes;
using Cache.Core.Layout;
using Cache.Core.Sharding;

namespace Cache.Core.Operations;

/// <summary>Writes a whole value.</summary>
internal ref struct SetOperation(ReadOnlySpan<byte> value, EntryOptions options, LargeBlock block) : IEntryOperation
{
    private readonly ReadOnlySpan<byte> _value = value;
    private readonly EntryOptions _options = options;

    /// <summary>The value in a block of its own, if it is large; null again once the entry holds it.</summary>
    public LargeBlock Block { get; private set; } = block;

    /// <summary>What the value is.</summary>
    public EntryKind Kind { get; init; } = EntryKind.String;

    public WriteStatus Run(Shard shard, in EntryKey key, ref EntryLock entry)
    {
        if (_options.Condition == (entry.IsFound ? SetCondition.IfAbsent : SetCondition.IfPresent))
            return WriteStatus.ConditionNotMet;
        var expiry = entry.IsFound && _options.KeepTtl
            ? entry.Record.ExpiryOf(entry.Header)
            : shard.ExpiryOf(_options);
        if (shard.IsPast(expiry))
        {
            if (!shard.TryReserve(ref entry, key, default, ChangeShape.Removal))
                return WriteStatus.OutOfMemory;
            shard.NoteRemoval(key.Hash);
            entry.IsChanged = true; // Counts as a write, even of an absent key: the version changes.
            if (entry.IsFound)
                shard.RemoveLocked(ref entry, ChangeCause.Deleted);
            else
                Shard.CommitAbsence(ref entry, key);
            return WriteStatus.Done;
        }

        (entry.BelongsToMain, entry.UseCount) = (_options.IsMain, _options.UseCount);
        bool isLarge = !Block.IsNull;
        int length = isLarge ? LargeBlock.StubLength : _value.Length;
        var shape = (isLarge ? ChangeShape.Set(Block) : ChangeShape.Set(length)) with { EntryKind = Kind };
        if (!shard.TryStage(ref entry, key, length, isLarge, expiry, leaveRoom: false, shape, out var staged))
            return WriteStatus.OutOfMemory;
        if (!isLarge)
        {
            _value.CopyTo(staged.Value);
            shard.Publish(ref entry, key, staged, largeBytes: 0);
            return WriteStatus.Done;
        }

        Block.WriteStub(staged.Value);
        shard.Publish(ref entry, key, staged, Block.SizeBytes);
        Block = default;
        return WriteStatus.Done;
    }
}
