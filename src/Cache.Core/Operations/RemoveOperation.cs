using Cache.Core.Changes;
using Cache.Core.Sharding;

namespace Cache.Core.Operations;

/// <summary>Removes an entry.</summary>
/// <remarks>isRead: Whether that counts as a read, before the entry has gone.</remarks>
internal readonly struct RemoveOperation(bool isRead) : IEntryOperation
{
    public WriteStatus Run(Shard shard, in EntryKey key, ref EntryLock entry)
    {
        if (!shard.TryReserve(ref entry, key, default, ChangeShape.Removal))
            return WriteStatus.OutOfMemory;
        bool isWatched = shard.NoteRemoval(key.Hash);
        if (!entry.IsFound)
        {
            entry.IsChanged |= isWatched; // A factory's write that began before sees the new version.
            shard.NoteAbsence(key);
            Shard.CommitAbsence(ref entry, key);
            return WriteStatus.NotFound;
        }

        if (isRead)
            shard.CountHit(key);
        shard.RemoveLocked(ref entry, ChangeCause.Deleted);
        return WriteStatus.Done;
    }
}
