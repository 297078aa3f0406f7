using System.Diagnostics;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Trees;

/// <summary>The snapshots of a collection, and the pages that only they have.</summary>
/// <remarks>
/// A snapshot is a root that no writer changes: it copies what is older than the snapshot. What it replaces is listed
/// by the newest snapshot. When one ends, its list goes to the next older one, which may have the same pages; without
/// one all of the list is free, since newer snapshots were taken after these pages were replaced. The caller holds the
/// collection; readers of a snapshot hold nothing.
/// </remarks>
internal static class TreeSnapshots
{
    /// <summary>The length of a page that lists others.</summary>
    public const int ListGrains = TreePage.GrainsMax;

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
        if ((isNewEpoch && epochs.Epoch == uint.MaxValue) || !pages.TryTake(1, out snapshot))
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
    public static void Release(TreePages pages, ref TreeEpochs epochs, TreeGraveyard graveyard, uint snapshot)
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
            graveyard.BuryList(snapshot);
            return;
        }

        var heir = new PageList(at[older]);
        heir.Newer = newer;
        var last = list;
        while (last.Next != 0)
            last = new PageList(at[last.Next]);
        last.Next = heir.Next;
        heir.Next = snapshot;
    }

    /// <summary>Whether so many pages can be retired without another page to list them.</summary>
    public static bool HasRoom(TreePageAddresses at, in TreeEpochs epochs, int count) =>
        RoomOf(at, in epochs) >= count;

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

    /// <summary>Keeps a page for the snapshots that have it.</summary>
    public static void Retire(TreePageAddresses at, ref TreeEpochs epochs, uint page)
    {
        Debug.Assert(at[page].Epoch < epochs.SharedBefore);
        var newest = new PageList(at[epochs.Newest]);
        if (newest.Room > 0)
            newest.Add(page);
        else
            new PageList(at[newest.Next]).Add(page);
    }

    private static int RoomOf(TreePageAddresses at, in TreeEpochs epochs)
    {
        var newest = new PageList(at[epochs.Newest]);
        return newest.Room + (newest.Next == 0 ? 0 : new PageList(at[newest.Next]).Room);
    }
}
