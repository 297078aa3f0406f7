using System.Numerics;
using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>Fetching the memory of an operation that is known ahead.</summary>
internal sealed partial class Shard
{
    // Further lines are fetched by the processor itself once it sees a copy that runs through them.
    private const int PrefetchBytesMax = 512;

    private const int PrefetchStep = 2 * Bucket.Size;

    /// <summary>
    /// Fetches the record of a hash, whose bucket was fetched before, as far as it is likely to be read or written; a
    /// wrong guess costs some lines.
    /// </summary>
    /// <param name="hash">The hash of its key.</param>
    /// <param name="bytes">The expected length of key and value.</param>
    public void PrefetchRecord(ulong hash, int bytes)
    {
        var home = HomeOf(hash);
        uint matches = home.Match(Bucket.TagOf(hash));
        if (matches == 0)
            return;
        var record = _records[home.EntryAt(BitOperations.TrailingZeroCount(matches))];
        record.Prefetch();
        int end = RecordHeader.Size + Math.Min(bytes, PrefetchBytesMax);
        for (int at = PrefetchStep; at < end; at += PrefetchStep)
            record.Next(at).Prefetch();
    }
}
