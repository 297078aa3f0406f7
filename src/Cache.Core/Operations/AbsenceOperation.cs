using Cache.Core.Changes;
using Cache.Core.Sharding;

namespace Cache.Core.Operations;

/// <summary>The removal of an absent key: voids a value that a factory is making for it.</summary>
internal readonly struct AbsenceOperation : IEntryOperation
{
    public WriteStatus Run(Shard shard, in EntryKey key, ref EntryLock entry)
    {
        // An entry that was written since is newer than the removal.
        if (entry.IsFound)
            return WriteStatus.NotFound;
        if (!shard.TryReserve(ref entry, key, default, ChangeShape.Removal))
            return WriteStatus.OutOfMemory;
        entry.IsChanged |= shard.NoteRemoval(key.Hash);
        Shard.CommitAbsence(ref entry, key);
        return WriteStatus.NotFound;
    }
}
