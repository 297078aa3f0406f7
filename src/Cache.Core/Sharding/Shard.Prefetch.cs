using System.Numerics;
using System.Runtime.CompilerServices;
using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>Fetching the memory of an operation that is known ahead.</summary>
internal sealed partial class Shard
{
    // Further lines are fetched by the processor itself once it sees a copy that runs through them.
    private const int PrefetchBytesMax = 512;

    private const int PrefetchStep = 2 * Bucket.Size;

    /// <summary>Fetches the lines that a read or write of the hash begins with.</summary>
    public void PrefetchBucket(ulong hash) => HomeOf(hash).Prefetch();

    /// <summary>Fetches the record of a hash, whose bucket was fetched before; a wrong guess costs two lines.</summary>
    public void PrefetchRecord(ulong hash)
    {
        if (TryGuessRecord(hash, out var record))
            record.Prefetch();
    }

    /// <summary>The same, of a generation.</summary>
    /// <returns>Whether there is a record that may be it; if not, and no write comes between, there is none.</returns>
    public bool TryPrefetchRecord(ulong hash, int generation)
    {
        if (!TryFindOverwrite(hash, generation, out var found))
            return false;
        found.Record.Prefetch();
        return true;
    }

    /// <summary>The same, as far as the record is likely to be read or written.</summary>
    /// <param name="hash">The hash of its key.</param>
    /// <param name="bytes">The expected length of key and value.</param>
    public void PrefetchRecord(ulong hash, int bytes)
    {
        if (!TryGuessRecord(hash, out var record))
            return;
        record.Prefetch();
        int end = RecordHeader.Size + Math.Min(bytes, PrefetchBytesMax);
        for (int at = PrefetchStep; at < end; at += PrefetchStep)
            record.Next(at).Prefetch();
    }

    /// <summary>The record that is likely to be that of a hash: neither versions nor keys are looked at.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)] // The loads of a batch overlap; a call between them would not.
    private bool TryGuessRecord(ulong hash, out Record record)
    {
        var home = HomeOf(hash);
        uint matches = home.MatchAnyGeneration(hash);
        if (matches == 0)
        {
            record = default;
            return !home.HasNoSpill && TryGuessSpilledRecord(home, hash, out record);
        }

        record = _records[home.EntryAt(BitOperations.TrailingZeroCount(matches))];
        return true;
    }

    [MethodImpl(MethodImplOptions.NoInlining)] // Rare; inlined, it would lengthen the loop that overlaps loads.
    private bool TryGuessSpilledRecord(Bucket home, ulong hash, out Record record)
    {
        for (ulong wanted = home.SpillBuckets; wanted != 0; wanted &= wanted - 1)
        {
            var bucket = home.Page[BitOperations.TrailingZeroCount(wanted)];
            uint matches = bucket.MatchAnyGeneration(hash);
            if (matches == 0)
                continue;
            record = _records[bucket.EntryAt(BitOperations.TrailingZeroCount(matches))];
            return true;
        }

        record = default;
        return false;
    }
}
