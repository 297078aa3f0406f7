using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>Room in the index for many keys that are not there yet, made by splitting their pages.</summary>
internal static class NewSlots
{
    /// <summary>Splits pages until each has slots for its part of some new keys.</summary>
    /// <param name="state">The store.</param>
    /// <param name="hashes">The hashes of the keys, which are put in order.</param>
    /// <param name="held">
    /// Exclusive locks of the keys: the slots are then sure. Null: others may take them before they are locked.
    /// </param>
    /// <returns>False if the limit or the depth forbids a page.</returns>
    public static bool TryMake(StoreState state, Span<ulong> hashes, KeyLocks? held)
    {
        // The upper bits choose the shard and then the page: keys of one page are neighbours.
        hashes.Sort();
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

    /// <summary>Whether a page has slots for so many new keys, in whatever order they come.</summary>
    /// <remarks>
    /// A key leaves its home only if that is full, so at the end each home's bucket holds as many as it needs or can,
    /// and the stash at most the rest.
    /// </remarks>
    /// <param name="page">The page.</param>
    /// <param name="hashes">The hashes of the keys.</param>
    /// <param name="spare">Slots of the stash that are left to others.</param>
    public static bool Fit(IndexPage page, ReadOnlySpan<ulong> hashes, int spare)
    {
        Span<int> free = stackalloc int[IndexPage.BucketCount];
        for (int i = 0; i < free.Length; i++)
            free[i] = page[i].CountEmptySlots();
        int room = -spare;
        for (int i = IndexPage.HomeCount; i < free.Length; i++)
            room += free[i];
        foreach (ulong hash in hashes)
        {
            if (free[IndexPage.HomeIndexOf(hash)]-- <= 0)
                room--;
        }

        return room >= 0;
    }
}
