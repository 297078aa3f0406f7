using System.Diagnostics;
using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>Room in the index for many keys at once.</summary>
internal sealed partial class Shard
{
    // Slots of a page's stash that are left to others when room for many keys is made ahead: a half.
    private const int SpareSlots = IndexPage.StashCount * Bucket.SlotLast / 2;

    // A thread that comes late to a page of another use leaves it at its next look at the directory; unless it locks
    // several keys, and waits for what is held here.
    private const int LateAttemptsMax = 8;

    /// <summary>Splits pages until that of the first of some new keys has slots for all of them that it has.</summary>
    /// <remarks>hashes: In ascending order. held: Exclusive locks of the keys, or null.</remarks>
    /// <returns>How many of the keys have slots now; 0 if the limit or the depth forbids a page.</returns>
    public int TryMakeSlots(ReadOnlySpan<ulong> hashes, KeyLocks? held)
    {
        while (true)
        {
            IndexPage page;
            lock (_growthGate)
            {
                page = PageOf(hashes[0]);
                int count = CountInPageOf(hashes);
                if (Fit(page, hashes[..count], held is null ? SpareSlots : 0))
                    return count;
                if (held is not null && !TryFreeClearedHeld(held, page.HomeOf(hashes[0]))
                    && !TrySplitHeld(hashes[0], page, held))
                {
                    return 0;
                }
            }

            long none = 0;
            if (held is null && !TryFreeCleared(hashes[0]) && !TrySplit(hashes[0], page, ref none)
                && !(_reclaimer.MakeRoom(PageBytes, hashes[0], 0) && TrySplit(hashes[0], page, ref none)))
            {
                return 0;
            }
        }
    }

    /// <summary>Evicts entries of the first key's page until it has slots for the keys that are in it.</summary>
    /// <remarks>hashes: In ascending order. held: Exclusive locks of the keys.</remarks>
    /// <returns>How many of the keys are its.</returns>
    public int EvictForSlots(ReadOnlySpan<ulong> hashes, KeyLocks held)
    {
        lock (_growthGate)
        {
            var page = PageOf(hashes[0]);
            int count = CountInPageOf(hashes);
            var own = hashes[..count];
            for (int i = 0; i < count && count <= IndexPage.SlotCount && !Fit(page, own, spare: 0); i++)
                TryEvictHeld(held, page.HomeOf(own[i]), CountAtHomeOf(own, own[i]));
            return count;
        }
    }

    /// <summary>The number of hashes, which are in ascending order, in the same page as the first.</summary>
    private int CountInPageOf(ReadOnlySpan<ulong> hashes)
    {
        Debug.Assert(_growthGate.IsHeldByCurrentThread);
        FindRange(PositionOf(hashes[0], _directory.Length), out int first, out int count);
        int low = 1;
        int high = hashes.Length;
        while (low < high)
        {
            int middle = (low + high) / 2;
            bool isOwn = _state.ShardIndexOf(hashes[middle]) == Index;
            if (isOwn && PositionOf(hashes[middle], _directory.Length) < first + count)
                low = middle + 1;
            else
                high = middle;
        }

        return low;
    }

    private static int CountAtHomeOf(ReadOnlySpan<ulong> hashes, ulong hash)
    {
        int count = 0;
        foreach (ulong other in hashes)
            count += IndexPage.HomeIndexOf(other) == IndexPage.HomeIndexOf(hash) ? 1 : 0;
        return count;
    }

    /// <summary>Splits a page that exclusive locks hold; they hold the new one too afterwards.</summary>
    /// <returns>False if the limit or the depth forbids it, or a late thread is about to leave the new page.</returns>
    private bool TrySplitHeld(ulong hash, IndexPage page, KeyLocks held)
    {
        Debug.Assert(held.IsExclusive);
        held.ReservePage();
        long prepaid = held.TryUseRoom(PageBytes) ? PageBytes : 0;
        if (!TryTakeUpper(hash, ref prepaid, out var upper))
        {
            _state.Budget.Add(-prepaid);
            return false;
        }

        var upperPage = _pages[upper.Page];
        Span<uint> upperVersions = stackalloc uint[IndexPage.BucketCount];
        for (int attempts = 0; !TryLockAll(upperPage, upperVersions); attempts++)
        {
            if (attempts == LateAttemptsMax)
            {
                ReturnUpper(upper.Page, upper.Version);
                return false;
            }

            RoomSteps.At(RoomStep.WaitsForBucket);
            Thread.Yield();
        }

        Split(page, held.VersionsOf(page), upper, upperVersions);
        held.Add(page, upperPage, upperVersions);
        return true;
    }

    // Not waited for: its address may be before those that are held.
    private static bool TryLockAll(IndexPage page, Span<uint> versions)
    {
        for (int i = 0; i < IndexPage.BucketCount; i++)
        {
            if (page[i].TryLock(out versions[i]))
                continue;
            while (--i >= 0)
                page[i].Unlock(versions[i], changed: false);
            return false;
        }

        return true;
    }

    /// <summary>Whether a page has slots for some new keys, in any order.</summary>
    /// <remarks>
    /// A key leaves its home only if that is full, so at the end each home's bucket holds all its keys or is full, and
    /// the stash holds at most the rest.
    /// </remarks>
    /// <param name="page">The page.</param>
    /// <param name="hashes">The hashes of the keys.</param>
    /// <param name="spare">Slots of the stash that are left to others.</param>
    private static bool Fit(IndexPage page, ReadOnlySpan<ulong> hashes, int spare)
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
