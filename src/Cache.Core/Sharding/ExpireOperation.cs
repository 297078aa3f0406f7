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
        shard.RemoveLocked(ref entry);
        return WriteStatus.Done;
    }

    private readonly bool Holds(long presentMs)
    {
        long present = presentMs == 0 ? long.MaxValue : presentMs;
        return !((Has(ExpireConditions.IfNone) && presentMs != 0)
            || (Has(ExpireConditions.IfAny) && presentMs == 0)
            || (Has(ExpireConditions.IfLater) && expiry.DeadlineMs <= present)
            || (Has(ExpireConditions.IfEarlier) && expiry.DeadlineMs >= present));
    }

    // HasFlag boxes before the optimising compiler has seen it.
    private readonly bool Has(ExpireConditions condition) => (conditions & condition) != 0;
}
