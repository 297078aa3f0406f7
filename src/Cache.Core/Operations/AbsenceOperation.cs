using Cache.Core.Changes;
using Cache.Core.Sharding;

namespace Cache.Core.Operations;

/// <summary>What a removal that found nothing leaves for those who make the key's value at present.</summary>
internal readonly struct AbsenceOperation : IEntryOperation
{
    public WriteStatus Run(Shard shard, in EntryKey key, ref EntryLock entry)
    {
        // One that came since is later than the removal.
        if (entry.IsFound)
            return WriteStatus.NotFound;
        if (!shard.TryReserve(ref entry, key, default, ChangeShape.Removal))
            return WriteStatus.OutOfMemory;
        entry.IsChanged |= shard.NoteRemoval(key.Hash);
        Shard.CommitAbsence(ref entry, key);
        return WriteStatus.NotFound;
    }
}
