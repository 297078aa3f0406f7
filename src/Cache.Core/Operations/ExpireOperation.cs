using Cache.Core.Changes;
using Cache.Core.Expiry;
using Cache.Core.Layout;
using Cache.Core.Sharding;

namespace Cache.Core.Operations;

/// <summary>Gives an entry another expiry, or none.</summary>
internal struct ExpireOperation(RecordExpiry expiry, ExpireConditions conditions) : IEntryOperation
{
    public readonly WriteStatus Run(Shard shard, in EntryKey key, ref EntryLock entry)
    {
        if (!entry.IsFound)
            return WriteStatus.NotFound;
        if (conditions != ExpireConditions.None && !Holds(entry.Record.ExpiryOf(entry.Header), shard.Now))
            return WriteStatus.ConditionNotMet;
        if (!shard.IsPast(expiry))
            return shard.Rewrite(ref entry, key, expiry, ChangeShape.Expiry);
        if (!shard.TryReserve(ref entry, key, default, ChangeShape.Removal))
            return WriteStatus.OutOfMemory;
        shard.NoteRemoval(key.Hash);
        shard.RemoveLocked(ref entry, ChangeCause.Deleted);
        return WriteStatus.Done;
    }

    // Never, 0, is later than any moment, the maximum included.
    // Two moments on different clocks are compared by the present distance of the clocks.
    private readonly bool Holds(in RecordExpiry present, ClockReading now)
    {
        long presentMs = now.ToStoreMs(present);
        long nextMs = now.ToStoreMs(expiry);
        return !((Has(ExpireConditions.IfNone) && presentMs != 0)
            || (Has(ExpireConditions.IfAny) && presentMs == 0)
            || (Has(ExpireConditions.IfLater) && (presentMs == 0 || nextMs <= presentMs))
            || (Has(ExpireConditions.IfEarlier) && presentMs != 0 && nextMs >= presentMs));
    }

    // HasFlag boxes before the optimising compiler has seen it.
    private readonly bool Has(ExpireConditions condition) => (conditions & condition) != 0;
}
