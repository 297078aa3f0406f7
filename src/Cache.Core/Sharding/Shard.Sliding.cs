namespace Cache.Core.Sharding;

/// <summary>Sliding expiry: the one write that a read makes.</summary>
internal sealed partial class Shard
{
    /// <summary>Renews the sliding expiry of an entry that was read.</summary>
    public void Slide(in EntryKey key)
    {
        var slide = default(SlideOperation);
        Write(key, ref slide);
    }

    private readonly struct SlideOperation : IEntryOperation
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
}
