using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;
using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>The directory of pages, and its growth by splitting one page at a time.</summary>
internal sealed partial class Shard
{
    // The bits of the hash that choose shard and page; the rest chooses the bucket and the tag.
    private const int PositionBits = 32;

    // With this many pages per position bit of the whole index, a cursor of a scan has room for the rest.
    private const int DirectoryBitsMax = 30;

    /// <summary>What a page counts against the limit: itself, and its share of the directory.</summary>
    public const int PageBytes = IndexPage.Size + 2 * sizeof(uint);

    private readonly Lock _growthGate = new();

    // Replaced and written under the gate, with release; read by every operation, once, with acquire.
    private uint[] _directory;

    /// <summary>Held while the directory changes; taken before any bucket.</summary>
    public Lock GrowthGate => _growthGate;

    /// <summary>The positions of the directory; the caller holds the gate.</summary>
    public int PositionCount
    {
        get
        {
            Debug.Assert(_growthGate.IsHeldByCurrentThread);
            return _directory.Length;
        }
    }

    /// <summary>The page of a position, and all positions that name it; the caller holds the gate.</summary>
    public IndexPage PageAt(int position, out int first, out int count)
    {
        Debug.Assert(_growthGate.IsHeldByCurrentThread);
        FindRange(position, out first, out count);
        return _pages[_directory[position]];
    }

    /// <summary>The home bucket of a hash at this moment.</summary>
    public Bucket HomeOf(ulong hash) => PageOf(hash).HomeOf(hash);

    /// <summary>The same as a number, in the order of addresses.</summary>
    public ulong HomeNumberOf(ulong hash)
    {
        uint[] directory = Volatile.Read(ref _directory);
        ulong page = Volatile.Read(ref directory[PositionOf(hash, directory.Length)]);
        return page * IndexPage.BucketCount + (uint)IndexPage.HomeIndexOf(hash);
    }

    [MethodImpl(MethodImplOptions.AggressiveInlining)] // The first loads of every operation.
    private IndexPage PageOf(ulong hash)
    {
        uint[] directory = Volatile.Read(ref _directory);
        return _pages[Volatile.Read(ref directory[PositionOf(hash, directory.Length)])];
    }

    // The next bits of the hash, scaled to the directory: its upper bits choose, so that doubling keeps the order.
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    private int PositionOf(ulong hash, int directoryLength) =>
        (int)((((hash << _shardBits) >> PositionBits) * (uint)directoryLength) >> PositionBits);

    /// <summary>Splits the page of a hash in two, unless that was done meanwhile.</summary>
    /// <remarks>prepaid: What was taken for the new page already, if it was; 0 once it is used.</remarks>
    /// <returns>False if the limit or the depth forbids it.</returns>
    private bool TrySplit(ulong hash, IndexPage full, ref long prepaid)
    {
        lock (_growthGate)
        {
            _state.ThrowIfDisposed(); // No bucket of the page may ever be let go.
            var page = PageOf(hash);
            if (!page.Equals(full))
                return true;
            if (!TryTakeUpper(hash, ref prepaid, out var upper))
                return false;
            Span<uint> versions = stackalloc uint[IndexPage.BucketCount];
            Span<uint> upperVersions = stackalloc uint[IndexPage.BucketCount];
            // No operation uses the new page yet, but a late thread may be about to lock a bucket of its former use.
            LockBoth(page, versions, _pages[upper.Page], upperVersions);
            Split(page, versions, upper, upperVersions);
            // Later versions on both sides: one that was read before the split is never seen again.
            for (int i = 0; i < IndexPage.BucketCount; i++)
            {
                _pages[upper.Page][i].Unlock(upperVersions[i], changed: true);
                page[i].Unlock(versions[i], changed: true);
            }

            return true;
        }
    }

    /// <summary>Takes a page for the upper half of the positions that name the page of a hash.</summary>
    /// <remarks>prepaid: As of <see cref="TrySplit"/>.</remarks>
    private bool TryTakeUpper(ulong hash, ref long prepaid, out UpperPage upper)
    {
        Debug.Assert(_growthGate.IsHeldByCurrentThread);
        upper = default;
        FindRange(PositionOf(hash, _directory.Length), out int first, out int count);
        if (count == 1 && (_directory.Length << _shardBits) >= 1 << DirectoryBitsMax)
            return false;
        if (prepaid == 0 && !_state.Budget.TryTake(PageBytes, _log.SpareBytes))
            return false;
        prepaid = 0;
        if (!_state.Index.TryAllocate(out uint page, out uint version))
        {
            _state.Budget.Add(-PageBytes);
            return false;
        }

        bool isTaken = false;
        try
        {
            if (count == 1)
            {
                DoubleDirectory();
                first *= 2;
                count = 2;
            }

            upper = new UpperPage(page, version, first + count / 2, count / 2);
            return isTaken = true;
        }
        finally // There may be no memory for the directory.
        {
            if (!isTaken)
                ReturnUpper(page, version);
        }
    }

    private void ReturnUpper(uint page, uint version)
    {
        Debug.Assert(_growthGate.IsHeldByCurrentThread);
        _state.Budget.Add(-PageBytes);
        _state.Index.Return(page, version);
    }

    /// <summary>The positions that name the same page as a given one.</summary>
    private void FindRange(int position, out int first, out int count)
    {
        uint page = _directory[position];
        first = position;
        while (first > 0 && _directory[first - 1] == page)
            first--;
        int last = position;
        while (last + 1 < _directory.Length && _directory[last + 1] == page)
            last++;
        count = last - first + 1;
        Debug.Assert(BitOperations.IsPow2(count));
    }

    private void DoubleDirectory()
    {
        Debug.Assert(_growthGate.IsHeldByCurrentThread);
        Debug.Assert(BitOperations.IsPow2(_directory.Length));
        uint[] old = _directory;
        RoomSteps.At(RoomStep.MemoryIsTaken);
        uint[] doubled = new uint[old.Length * 2];
        for (int i = 0; i < doubled.Length; i++)
            doubled[i] = old[i / 2];
        Volatile.Write(ref _directory, doubled);
    }

    /// <summary>
    /// Moves the entries of the upper positions to a new page, each to the same bucket and slot as before. All buckets
    /// of both are locked, and stay so.
    /// </summary>
    private void Split(IndexPage page, ReadOnlySpan<uint> versions, in UpperPage upperPage, Span<uint> upperVersions)
    {
        Debug.Assert(_growthGate.IsHeldByCurrentThread);
        var upper = _pages[upperPage.Page];
        for (int i = 0; i < IndexPage.BucketCount; i++)
        {
            upperVersions[i] = Math.Max(versions[i], upperPage.Version);
            upper[i].InitializeVersion(upperVersions[i] + 1); // Odd: it stays locked.
            page[i].ClearSpill();
        }

        Span<SplitSlot> slots = stackalloc SplitSlot[IndexPage.SlotCount];
        MoveUpper(page, upper, upperPage.First, slots);
        for (int i = 0; i < slots.Length; i++)
        {
            int index = i / Bucket.SlotLast;
            if (slots[i].IsSpilled(index))
                NoteSpill(slots[i].IsUpper ? upper : page, index, i % Bucket.SlotLast + 1, slots[i].HomeIndex);
        }

        for (int i = 0; i < upperPage.Count; i++)
            Volatile.Write(ref _directory[upperPage.First + i], upperPage.Page);
    }

    private void MoveUpper(IndexPage page, IndexPage upper, int upperFirst, Span<SplitSlot> slots)
    {
        Debug.Assert(slots.Length == IndexPage.SlotCount);
        Debug.Assert(page[0].IsChanging && upper[0].IsChanging, "All buckets of both pages are locked.");
        for (int i = 0; i < slots.Length; i++)
        {
            int index = i / Bucket.SlotLast;
            int slot = i % Bucket.SlotLast + 1;
            if (slot == Bucket.SlotFirst && index + 1 < IndexPage.BucketCount)
                PrefetchRecords(page[index + 1]);
            ulong entry = page[index].EntryAt(slot);
            slots[i] = default;
            if (entry == 0)
                continue;
            ulong hash = _state.HashOf(_records[entry]);
            bool isUpper = PositionOf(hash, _directory.Length) >= upperFirst;
            slots[i] = new SplitSlot(IndexPage.HomeIndexOf(hash), isUpper);
            if (!isUpper)
                continue;
            upper[index].SetEntry(slot, entry);
            upper[index].SetFrequency(slot, page[index].FrequencyOf(slot));
            page[index].SetEntry(slot, 0);
        }
    }

    /// <summary>Brings an entry home that lies outside, or counts it there if home is full.</summary>
    private static void NoteSpill(IndexPage page, int index, int slot, int homeIndex)
    {
        var home = page[homeIndex];
        int homeSlot = home.FindEmptySlot();
        if (homeSlot == 0)
        {
            AddSpill(home, index);
            return;
        }

        home.SetEntry(homeSlot, page[index].EntryAt(slot));
        home.SetFrequency(homeSlot, page[index].FrequencyOf(slot));
        page[index].SetEntry(slot, 0);
    }

    private static void AddSpill(Bucket home, int holderIndex)
    {
        if (holderIndex < IndexPage.HomeCount)
            home.AddNeighbour(1);
        else
            home.AddStash(holderIndex - IndexPage.HomeCount);
    }

    private static void RemoveSpill(Bucket home, int holderIndex)
    {
        if (holderIndex < IndexPage.HomeCount)
            home.AddNeighbour(-1);
        else
            home.RemoveStash();
    }

    private void PrefetchRecords(Bucket bucket)
    {
        for (int slot = Bucket.SlotFirst; slot <= Bucket.SlotLast; slot++)
        {
            ulong entry = bucket.EntryAt(slot);
            if (entry != 0)
                _records[entry].Prefetch();
        }
    }

    /// <summary>A page that is about to take the upper half of another's positions in the directory.</summary>
    private readonly record struct UpperPage(uint Page, uint Version, int First, int Count);

    /// <summary>What a split knows of a slot: the home of its entry, and the page that it goes to.</summary>
    private readonly struct SplitSlot(int homeIndex, bool isUpper)
    {
        private readonly byte _homeNumber = (byte)(homeIndex + 1); // 0: the slot is empty.

        public readonly bool IsUpper = isUpper;

        public int HomeIndex => _homeNumber - 1;

        public bool IsSpilled(int index) => _homeNumber != 0 && HomeIndex != index;
    }
}
