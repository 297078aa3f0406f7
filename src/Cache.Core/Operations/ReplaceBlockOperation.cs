using Cache.Core.Changes;
using Cache.Core.Layout;
using Cache.Core.Sharding;

namespace Cache.Core.Operations;

/// <summary>Replaces a block by one whose value was copied from it.</summary>
/// <remarks>shape: The change that listeners are told of.</remarks>
internal struct ReplaceBlockOperation(LargeBlock expected, LargeBlock block, ChangeShape shape)
    : IEntryOperation
{
    /// <summary>The new block; null once the entry holds it.</summary>
    public LargeBlock Block { get; private set; } = block;

    public WriteStatus Run(Shard shard, in EntryKey key, ref EntryLock entry)
    {
        if (!Shard.Holds(entry, expected))
            return WriteStatus.ConditionNotMet;
        if (!shard.TryPublishBlock(ref entry, key, Block, shape))
            return WriteStatus.OutOfMemory;
        Block = default;
        return WriteStatus.Done;
    }
}
