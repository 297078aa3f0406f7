namespace Cache.Core.Sharding;

/// <summary>Renews the sliding expiry of an entry that was read.</summary>
internal readonly struct SlideOperation : IEntryOperation
{
    public WriteStatus Run(Shard shard, in EntryKey key, ref EntryLock entry)
    {
        if (!entry.IsFound || !entry.Header.IsSliding)
            return WriteStatus.NotFound;
        var present = entry.Record.ExpiryOf(entry.Header);
        var renewed = shard.ExpiryOf(present.AbsoluteMs, present.SlidingMs);
        return renewed == present ? WriteStatus.Done : shard.Rewrite(ref entry, key, renewed);
    }
}
