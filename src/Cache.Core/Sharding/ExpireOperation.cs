using Cache.Core.Contracts;
using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>Gives an entry another expiry, or none.</summary>
internal struct ExpireOperation(RecordExpiry expiry, ExpireConditions conditions) : IEntryOperation
{
    public readonly WriteStatus Run(Shard shard, in EntryKey key, ref EntryLock entry)
    {
        if (!entry.IsFound)
            return WriteStatus.NotFound;
        if (!Holds(entry.Record.ExpiryOf(entry.Header).DeadlineMs))
            return WriteStatus.ConditionNotMet;
        if (!shard.IsPast(expiry))
            return shard.Rewrite(ref entry, key, expiry);
        shard.NoteRemoval(key.Hash);
        shard.RemoveLocked(ref entry);
        return WriteStatus.Done;
    }

    // Never, 0, is later than any moment, the last one that there is among them.
    private readonly bool Holds(long presentMs) =>
        !((Has(ExpireConditions.IfNone) && presentMs != 0)
            || (Has(ExpireConditions.IfAny) && presentMs == 0)
            || (Has(ExpireConditions.IfLater) && (presentMs == 0 || expiry.DeadlineMs <= presentMs))
            || (Has(ExpireConditions.IfEarlier) && presentMs != 0 && expiry.DeadlineMs >= presentMs));

    // HasFlag boxes before the optimising compiler has seen it.
    private readonly bool Has(ExpireConditions condition) => (conditions & condition) != 0;
}
