using Cache.Core.Layout;
using Cache.Core.Sharding;

namespace Cache.Core.Operations;

/// <summary>Lets the value of a block reach as far as its bytes were written.</summary>
internal struct ExtendBlockOperation(LargeBlock block, int length) : IEntryOperation
{
    /// <summary>The block; null once the caller's reference was given back.</summary>
    public LargeBlock Block { get; private set; } = block;

    public WriteStatus Run(Shard shard, in EntryKey key, ref EntryLock entry)
    {
        if (!Shard.Holds(entry, Block))
            return WriteStatus.ConditionNotMet;
        shard.Return(Block); // The entry has one too.
        Block = default;
        if (entry.Block.IsShared)
            return WriteStatus.ConditionNotMet; // Lent to a reader meanwhile, for whom it must stay as it is.
        var present = entry.Block;
        present.Length = length;
        entry.IsChanged = true;
        entry.Holder.Touch(entry.Slot);
        return WriteStatus.Done;
    }
}
