using System.Diagnostics;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Trees;

/// <summary>The snapshots of a collection, and the pages that only they have.</summary>
/// <remarks>
/// A snapshot is a root that no writer changes: it copies what is older than the snapshot. What it replaces is listed
/// by the newest snapshot. When one ends, its list goes to the next older one, which keeps what it has too, and gives
/// back what was made later; without an older one all of the list is free, since newer snapshots were taken after these
/// pages were replaced. The caller holds the collection; readers of a snapshot hold nothing.
/// </remarks>
internal static class TreeSnapshots
{
    /// <summary>The length of a page that lists others.</summary>
    public const int ListGrains = TreePage.GrainsMax;

    // So many lists, of 508 pages each, are settled at once: some ten microseconds.
    private const int StepLists = 2;

    /// <summary>Keeps the collection's trees as they are now.</summary>
    /// <param name="pages">The pages.</param>
    /// <param name="epochs">The collection's epochs.</param>
    /// <param name="owner">The collection.</param>
    /// <param name="snapshot">What <see cref="Release"/> needs. The roots are those of the collection now.</param>
    /// <returns>False if there is no page for it, or after 2³² snapshots.</returns>
    public static bool TryTake(TreePages pages, ref TreeEpochs epochs, uint owner, out uint snapshot)
    {
        snapshot = 0;
        bool isNewEpoch = epochs.MadeAt == epochs.Epoch || epochs.Epoch == 0;
        if ((isNewEpoch && epochs.Epoch == uint.MaxValue) || !pages.TryTake(1, out snapshot, mayOverdraw: true))
            return false;
        if (isNewEpoch) // Else no page is of this epoch, and all belong to the snapshot as well.
            epochs.Epoch++;
        epochs.SharedBefore = epochs.Epoch;
        var at = pages.Addresses;
        var list = at[snapshot];
        list.Initialize(1, level: 0, epochs.SharedBefore, owner);
        var links = new PageList(list);
        links.Clear();
        links.Older = epochs.Newest;
        if (epochs.Newest != 0)
        {
            var older = new PageList(at[epochs.Newest]);
            older.Newer = snapshot;
        }

        epochs.Newest = snapshot;
        return true;
    }

    /// <summary>Ends a snapshot. Pages that nobody has any more go back in steps, by the graveyard.</summary>
    /// <returns>Whether <see cref="TrySettle"/> has more to do.</returns>
    public static bool Release(TreePages pages, ref TreeEpochs epochs, TreeGraveyard graveyard, uint snapshot)
    {
        Debug.Assert(snapshot != 0);
        var at = pages.Addresses;
        var list = new PageList(at[snapshot]);
        uint older = list.Older, newer = list.Newer;
        if (newer != 0)
        {
            var other = new PageList(at[newer]);
            other.Older = older;
        }
        else
        {
            Debug.Assert(epochs.Newest == snapshot);
            epochs.Newest = older;
            epochs.SharedBefore = older == 0 ? 0 : at[older].Epoch;
        }

        if (older == 0)
        {
            // Newer ones were taken after these pages were replaced.
            if (list.Unsettled != 0)
                graveyard.BuryList(list.Unsettled);
            graveyard.BuryList(snapshot);
            return false;
        }

        var heir = new PageList(at[older]);
        heir.Newer = newer;
        Chain(at, list.Unsettled, heir);
        Chain(at, snapshot, heir);
        return TrySettle(pages, in epochs, graveyard);
    }

    /// <summary>Goes on with the end of a snapshot: gives back the pages that no older one has.</summary>
    /// <returns>Whether there is more to do, for which the caller may let others hold the collection first.</returns>
    public static bool TrySettle(TreePages pages, in TreeEpochs epochs, TreeGraveyard graveyard)
    {
        var at = pages.Addresses;
        int steps = 0;
        for (uint number = epochs.Newest; number != 0; number = new PageList(at[number]).Older)
        {
            var heir = new PageList(at[number]);
            for (; heir.Unsettled != 0; steps++)
            {
                if (steps == StepLists)
                    return true;
                uint first = heir.Unsettled;
                heir.Unsettled = new PageList(at[first]).Next;
                Settle(pages, number, first, graveyard);
            }
        }

        return false;
    }

    /// <summary>Whether so many pages can be retired without another page to list them.</summary>
    public static bool HasRoom(TreePageAddresses at, in TreeEpochs epochs, int count) =>
        RoomOf(at, new PageList(at[epochs.Newest])) >= count;

    /// <summary>Adds an empty page to the newest snapshot's list.</summary>
    public static void AddList(TreePageAddresses at, in TreeEpochs epochs, uint page)
    {
        var newest = new PageList(at[epochs.Newest]);
        var raw = at[page];
        raw.Initialize(ListGrains, level: 0, epochs.Epoch, at[epochs.Newest].Owner);
        var list = new PageList(raw);
        list.Clear();
        list.Next = newest.Next;
        newest.Next = page;
    }

    /// <summary>Keeps a page for the snapshots that have it; its elements are in another one too.</summary>
    public static void Retire(TreePages pages, ref TreeEpochs epochs, uint page)
    {
        var at = pages.Addresses;
        Debug.Assert(at[page].Epoch < epochs.SharedBefore);
        LeafStubs.Share(pages, page);
        Add(at, new PageList(at[epochs.Newest]), page, at[page].Epoch);
    }

    private static void Add(TreePageAddresses at, PageList first, uint page, uint epoch)
    {
        if (first.Room > 0)
            first.Add(page, epoch);
        else
            new PageList(at[first.Next]).Add(page, epoch);
    }

    private static void Chain(TreePageAddresses at, uint first, PageList heir)
    {
        if (first == 0)
            return;
        var last = new PageList(at[first]);
        while (last.Next != 0)
            last = new PageList(at[last.Next]);
        last.Next = heir.Unsettled;
        heir.Unsettled = first;
    }

    // What was made after a snapshot is not its. The rest is listed by it, with the page that has listed it if need be.
    private static void Settle(TreePages pages, uint snapshot, uint number, TreeGraveyard graveyard)
    {
        var at = pages.Addresses;
        var heir = new PageList(at[snapshot]);
        var list = new PageList(at[number]);
        GiveNewer(pages, list, at[snapshot].Epoch, graveyard);
        if (list.Count <= RoomOf(at, heir))
        {
            while (list.Count > 0)
            {
                uint page = list.TakeLast(out uint epoch);
                Add(at, heir, page, epoch);
            }

            pages.Give(number);
            return;
        }

        list.Next = heir.Next;
        heir.Next = number;
    }

    // What stubs stand for is released by the graveyard: there may be hundreds in each page.
    private static void GiveNewer(TreePages pages, PageList list, uint epoch, TreeGraveyard graveyard)
    {
        for (int i = list.Count - 1; i >= 0; i--)
        {
            if (list[i].Epoch < epoch)
                continue;
            uint page = list.TakeAt(i);
            if (pages.Addresses[page].MayHaveStubs)
                graveyard.BuryLeaf(page);
            else
                pages.Give(page);
        }
    }

    private static int RoomOf(TreePageAddresses at, PageList first) =>
        first.Room + (first.Next == 0 ? 0 : new PageList(at[first.Next]).Room);
}
