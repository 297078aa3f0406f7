using Cache.Core.Changes;
using Cache.Core.Layout;
using Cache.Core.Sharding;

namespace Cache.Core.Operations;

/// <summary>Extends the value of a block over the bytes that were written behind it.</summary>
internal struct ExtendBlockOperation(LargeBlock block, int from, int length) : IEntryOperation
{
    // The entry's and the caller's.
    private const int OwnReferences = 2;

    /// <summary>The block; null once the caller's reference was given back.</summary>
    public LargeBlock Block { get; private set; } = block;

    public WriteStatus Run(Shard shard, in EntryKey key, ref EntryLock entry)
    {
        if (!Shard.Holds(entry, Block))
            return WriteStatus.ConditionNotMet;
        if (entry.Block.HasMoreThan(OwnReferences))
            return WriteStatus.ConditionNotMet; // Lent to a reader meanwhile: it must not change.
        var shape = new ChangeShape(ChangeKind.Patch, from, length - from, entry.Block);
        if (!shard.TryReserve(ref entry, key, default, shape))
            return WriteStatus.OutOfMemory;
        shard.Return(Block); // The entry has one too.
        Block = default;
        var present = entry.Block;
        present.Length = length;
        shard.CommitInBlock(ref entry);
        return WriteStatus.Done;
    }
}
