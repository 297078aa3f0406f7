using Cache.Core.Sharding;

namespace Cache.Core.ManyKeys;

/// <summary>Room in the index for many keys that are not there yet, made by splitting their pages.</summary>
internal static class NewSlots
{
    /// <summary>Splits pages until each has slots for its part of some new keys.</summary>
    /// <param name="state">The store.</param>
    /// <param name="hashes">The hashes of the keys, one for each time that it is named; they are put in order.</param>
    /// <param name="held">
    /// Exclusive locks of the keys: the slots are then sure. Null: others may take them before they are locked.
    /// </param>
    /// <returns>False if the limit or the depth forbids a page.</returns>
    public static bool TryMake(StoreState state, Span<ulong> hashes, KeyLocks? held)
    {
        // The upper bits choose the shard and then the page: keys of one page are neighbours.
        hashes.Sort();
        hashes = hashes[..RemoveRepeated(hashes)]; // However often a key is named, it takes one slot.
        int made = 0;
        while (made < hashes.Length)
        {
            int count = state.ShardOf(hashes[made]).TryMakeSlots(hashes[made..], held);
            if (count == 0)
                return false;
            made += count;
        }

        return true;
    }

    /// <summary>The same, and evicts entries where a page cannot be split, as far as the policy lets them go.</summary>
    /// <remarks>All at once: an attempt for each would be as much work as the batch.</remarks>
    /// <param name="state">The store.</param>
    /// <param name="hashes">As of <see cref="TryMake"/>.</param>
    /// <param name="held">Exclusive locks of the keys.</param>
    public static void MakeOrEvict(StoreState state, Span<ulong> hashes, KeyLocks held)
    {
        hashes.Sort();
        hashes = hashes[..RemoveRepeated(hashes)];
        while (!hashes.IsEmpty)
        {
            var shard = state.ShardOf(hashes[0]);
            int count = shard.TryMakeSlots(hashes, held);
            hashes = hashes[(count == 0 ? shard.EvictForSlots(hashes, held) : count)..];
        }
    }

    /// <returns>How many different hashes there are: they come first afterwards, in order.</returns>
    private static int RemoveRepeated(Span<ulong> sorted)
    {
        int count = 0;
        foreach (ulong hash in sorted)
        {
            if (count == 0 || hash != sorted[count - 1])
                sorted[count++] = hash;
        }

        return count;
    }
}
