namespace Cache.Core.Sharding;

/// <summary>Sliding expiry: the one write that a read makes.</summary>
internal sealed partial class Shard
{
    /// <summary>Renews the sliding expiry of an entry that was read.</summary>
    /// <remarks>Waits for no claim: what is claimed keeps the expiry that it has when its new value is there.</remarks>
    public void Slide(in EntryKey key)
    {
        var slide = default(SlideOperation);
        var entry = default(EntryLock);
        try
        {
            WriteStatus status;
            do
            {
                LockToRead(key, ref entry);
                status = RunAndUnlock(key, ref entry, ref slide);
            }
            while (entry.Obstacle != Obstacle.None && TryOvercome(key, ref entry, ref status));
        }
        finally // The store may have been disposed.
        {
            EndWrite(key, ref entry);
        }
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
