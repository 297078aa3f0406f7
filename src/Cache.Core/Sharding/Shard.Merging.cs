using System.Diagnostics;
using System.Numerics;
using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>The directory's way back: two pages that were split and emptied since become one again.</summary>
internal sealed partial class Shard
{
    // Merged pages are filled no further, so that they are not split again by the next few entries.
    private const int MergedEntriesMax = IndexPage.SlotCount * 6 / 10;

    /// <summary>Merges pages of few entries with their siblings, once through the whole directory.</summary>
    /// <returns>Whether any was merged.</returns>
    public bool MergePages()
    {
        bool merged = false;
        // A part of the hash, as for a scan: the directory may grow between two steps.
        for (ulong position = 0; position < 1UL << PositionBits;)
        {
            lock (_growthGate)
            {
                _state.ThrowIfDisposed(); // As before a split.
                ulong width = (1UL << PositionBits) / (uint)_directory.Length;
                FindRange((int)(position / width), out int first, out int count);
                merged |= TryMerge(first, count);
                position = (ulong)(first + count) * width;
            }
        }

        while (merged && TryHalveDirectory())
        {
        }

        return merged;
    }

    /// <summary>Merges the page of a range with that of the other half of the range that both came from.</summary>
    private bool TryMerge(int first, int count)
    {
        Debug.Assert(_growthGate.IsHeldByCurrentThread);
        if (count == _directory.Length)
            return false;
        FindRange(first ^ count, out int siblingFirst, out int siblingCount);
        if (siblingFirst != (first ^ count) || siblingCount != count)
            return false; // It is split further.
        uint freed = _directory[siblingFirst];
        var page = _pages[_directory[first]];
        var sibling = _pages[freed];
        if (page.CountEntries() + sibling.CountEntries() > MergedEntriesMax)
            return false;
        Span<uint> versions = stackalloc uint[IndexPage.BucketCount];
        Span<uint> siblingVersions = stackalloc uint[IndexPage.BucketCount];
        LockBoth(page, versions, sibling, siblingVersions);
        bool isDone = TryMoveAll(sibling, page);
        for (int i = 0; isDone && i < count; i++)
            Volatile.Write(ref _directory[siblingFirst + i], _directory[first]);
        uint latest = 0;
        for (int i = 0; i < IndexPage.BucketCount; i++)
        {
            latest = Math.Max(latest, siblingVersions[i]);
            if (!isDone)
                sibling[i].Unlock(siblingVersions[i], changed: false);
            // Later than both: a version that was read of either page is never seen again.
            uint version = Math.Max(versions[i], siblingVersions[i]);
            page[i].InitializeVersion(version + 1);
            page[i].Unlock(version, changed: true);
        }

        if (isDone)
        {
            _state.Index.Free(freed, latest + Bucket.VersionStep);
            _state.Budget.Add(-PageBytes);
        }

        return isDone;
    }

    /// <summary>Locks all buckets of two pages, in the order that all locks have.</summary>
    private static void LockBoth(IndexPage page, Span<uint> versions, IndexPage other, Span<uint> otherVersions)
    {
        if (page[0].Order < other[0].Order)
        {
            LockAll(page, versions);
            LockAll(other, otherVersions);
        }
        else
        {
            LockAll(other, otherVersions);
            LockAll(page, versions);
        }
    }

    private static void LockAll(IndexPage page, Span<uint> versions)
    {
        Debug.Assert(versions.Length == IndexPage.BucketCount);
        for (int i = 0; i < IndexPage.BucketCount; i++)
            versions[i] = page[i].Lock();
    }

    private static void UnlockAll(IndexPage page, ReadOnlySpan<uint> versions)
    {
        for (int i = 0; i < IndexPage.BucketCount; i++)
            page[i].Unlock(versions[i], changed: false);
    }

    /// <summary>Copies all entries of a page into another, each to a bucket where it may lie.</summary>
    /// <returns>False if one finds no slot; nothing is changed then.</returns>
    private bool TryMoveAll(IndexPage from, IndexPage to)
    {
        Debug.Assert(_growthGate.IsHeldByCurrentThread);
        Debug.Assert(!from.Equals(to));
        Span<PlacedEntry> placed = stackalloc PlacedEntry[IndexPage.SlotCount];
        int count = 0;
        for (int i = 0; i < IndexPage.SlotCount; i++)
        {
            var bucket = from[i / Bucket.SlotLast];
            int slot = i % Bucket.SlotLast + Bucket.SlotFirst;
            ulong entry = bucket.EntryAt(slot);
            if (entry == 0)
                continue;
            int home = IndexPage.HomeIndexOf(_state.HashOf(_records[entry]));
            if (!TryPlace(to, home, out int index, out int freeSlot))
            {
                foreach (ref readonly var entryPlaced in placed[..count])
                    entryPlaced.Remove(to);
                return false;
            }

            placed[count++] = new PlacedEntry(home, index, freeSlot);
            to[index].SetEntry(freeSlot, entry);
            to[index].SetFrequency(freeSlot, bucket.FrequencyOf(slot));
            if (index != home)
                AddSpill(to[home], index);
        }

        return true;
    }

    private static bool TryPlace(IndexPage page, int home, out int index, out int slot)
    {
        index = home;
        slot = page[home].FindEmptySlot();
        if (slot != 0)
            return true;
        index = IndexPage.NeighbourIndexOf(home);
        slot = page[index].FindEmptySlot();
        for (int stash = IndexPage.HomeCount; slot == 0 && stash < IndexPage.BucketCount; stash++)
        {
            index = stash;
            slot = page[stash].FindEmptySlot();
        }

        return slot != 0;
    }

    /// <summary>Makes the directory half as long if no page needs all of it.</summary>
    private bool TryHalveDirectory()
    {
        lock (_growthGate)
        {
            if (_state.IsDisposed || _directory.Length == 1)
                return false;
            for (int i = 0; i < _directory.Length; i += 2)
            {
                if (_directory[i] != _directory[i + 1])
                    return false;
            }

            Debug.Assert(BitOperations.IsPow2(_directory.Length));
            uint[] halved = new uint[_directory.Length / 2];
            for (int i = 0; i < halved.Length; i++)
                halved[i] = _directory[2 * i];
            Volatile.Write(ref _directory, halved);
            return true;
        }
    }

    /// <summary>Where an entry was put, to be taken from there again.</summary>
    private readonly struct PlacedEntry(int home, int index, int slot)
    {
        private readonly byte _home = (byte)home;
        private readonly byte _index = (byte)index;
        private readonly byte _slot = (byte)slot;

        public void Remove(IndexPage page)
        {
            page[_index].SetEntry(_slot, 0);
            if (_index != _home)
                RemoveSpill(page[_home], _index);
        }
    }
}
