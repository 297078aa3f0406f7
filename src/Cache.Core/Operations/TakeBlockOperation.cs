using System.Diagnostics;
using Cache.Core.Changes;
using Cache.Core.Layout;
using Cache.Core.Sharding;

namespace Cache.Core.Operations;

/// <summary>Takes a reference to the block of a key's value, which gets a block if it has none.</summary>
internal struct TakeBlockOperation : IEntryOperation
{
    /// <summary>The block, whose reference the caller gives back; null if there is no entry.</summary>
    public LargeBlock Block { get; private set; }

    /// <summary>The value's length, also if there was no room for the block; 0 if there is no entry.</summary>
    public int Length { get; private set; }

    /// <summary>Whether no one else had a reference: the bytes behind its value are the caller's.</summary>
    public bool IsAlone { get; private set; }

    public WriteStatus Run(Shard shard, in EntryKey key, ref EntryLock entry)
    {
        Debug.Assert(Block.IsNull);
        if (entry.IsOtherKind)
            return WriteStatus.WrongType;
        Length = entry.IsFound ? entry.ValueLength : 0;
        if (!entry.IsFound)
            return WriteStatus.Done;
        var block = entry.Block;
        if (!entry.Header.IsLarge)
        {
            var value = shard.ValueOf(ref entry);
            if (!shard.TryCreateBlock(ref entry, value.Length, out block))
                return WriteStatus.OutOfMemory;
            value.CopyTo(block.Value);
            if (!shard.TryPublishBlock(ref entry, key, block, ChangeShape.None))
            {
                shard.ReleaseForNow(ref entry, block);
                return WriteStatus.OutOfMemory;
            }
        }

        IsAlone = !block.IsShared;
        shard.Lend(block);
        Block = block;
        return WriteStatus.Done;
    }
}
