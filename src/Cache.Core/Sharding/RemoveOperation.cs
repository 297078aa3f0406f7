using Cache.Core.Contracts;

namespace Cache.Core.Sharding;

/// <summary>Removes an entry.</summary>
internal readonly struct RemoveOperation : IEntryOperation
{
    public WriteStatus Run(Shard shard, in EntryKey key, ref EntryLock entry)
    {
        if (!entry.IsFound)
            return WriteStatus.NotFound;
        shard.RemoveLocked(ref entry);
        return WriteStatus.Done;
    }
}
