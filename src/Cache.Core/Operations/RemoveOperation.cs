using Cache.Core.Changes;
using Cache.Core.Sharding;

namespace Cache.Core.Operations;

/// <summary>Removes an entry.</summary>
internal readonly struct RemoveOperation : IEntryOperation
{
    public WriteStatus Run(Shard shard, in EntryKey key, ref EntryLock entry)
    {
        if (!shard.TryReserve(ref entry, key, default, ChangeShape.Removal))
            return WriteStatus.OutOfMemory;
        bool isWatched = shard.NoteRemoval(key.Hash);
        if (!entry.IsFound)
        {
            entry.IsChanged |= isWatched; // A factory's write that began before sees the new version.
            Shard.CommitAbsence(ref entry, key);
            return WriteStatus.NotFound;
        }

        shard.RemoveLocked(ref entry, ChangeCause.Deleted);
        return WriteStatus.Done;
    }
}
