using System.Diagnostics;
using System.Numerics;
using Cache.Core.Layout;

namespace Cache.Core.Sharding;

/// <summary>The buckets that an operation holds at once, if one home is not enough.</summary>
/// <remarks>
/// Buckets are locked in the order of their pages' numbers, which is that of their addresses, as a split locks those
/// of its page, so that no two threads wait for each other. Of a page that many of the keys live in, all buckets are
/// locked; else only homes are, and buckets that entries spilled to are tried: if one is held, all locks are released
/// and the operation starts over. After some failed attempts the locks are exclusive: all buckets of each page, and the
/// growth gates of the shards before them, so that no other thread can make an attempt fail.
/// A long batch lets others read in what it holds until it changes that: see <see cref="BeginChanges"/>.
/// One per thread, kept for the next operation.
/// </remarks>
internal sealed partial class KeyLocks
{
    /// <summary>
    /// The failed attempts after which an operation's locks are exclusive. Each costs what the operation costs, and
    /// one fails only if other threads hold or change the same pages meanwhile.
    /// </summary>
    public const int AttemptsMax = 8;

    // With this many keys in a page, most of its buckets are locked anyway.
    private const int WholePageMin = IndexPage.HomeCount / 2;

    // Up to this many pages for each key are looked through in their order; beyond, sorting the keys is less work.
    private const int PagesPerKeyMax = 8;

    private const ulong AllBuckets = ulong.MaxValue;
    private const int CapacityInitially = 16;

    // More than this is left to the collector at the end: a quarter of a megabyte each.
    private const int PagesKeptMax = 1024;
    private const int HomesKeptMax = 16 * 1024;

    [ThreadStatic]
    private static KeyLocks? _cached;

    private readonly List<Lock> _gates = []; // Of growth.
    private HeldPage[] _pages = new HeldPage[CapacityInitially];
    private uint[] _versions = new uint[CapacityInitially * IndexPage.BucketCount];

    // The numbers of the homes: in the order of the hashes, and in ascending order.
    private ulong[] _homes = new ulong[CapacityInitially];
    private ulong[] _ordered = new ulong[CapacityInitially];
    private int _count;

    // The page that was asked for last: the next key is often in it.
    private int _last;

    // By a page's number: its buckets that are homes, and which of the held pages it is, while that is known.
    private ulong[] _marks = [];
    private int[] _indexes = [];
    private nuint _firstOrder;
    private bool _isIndexed;

    /// <summary>Whether no other thread can be in the way: whole pages are held, and no other thread splits
    /// one.</summary>
    public bool IsExclusive => _gates.Count != 0;

    /// <summary>
    /// The generations of the keyspaces when all homes were locked: what all keys are found and written in.
    /// </summary>
    public ulong Generations { get; private set; }

    public static KeyLocks Rent()
    {
        var locks = _cached ?? new KeyLocks();
        _cached = null;
        Debug.Assert(locks._count == 0);
        return locks;
    }

    public static void Return(KeyLocks locks)
    {
        Debug.Assert(locks._count == 0, "Everything was released.");
        if (locks._pages.Length <= PagesKeptMax && locks._homes.Length <= HomesKeptMax
            && locks._marks.Length <= HomesKeptMax)
            _cached = locks;
    }

    /// <summary>Room for the numbers of homes that will be locked.</summary>
    public Span<ulong> HomesOf(int count)
    {
        Debug.Assert(_count == 0);
        if (_homes.Length < count)
            _homes = new ulong[count];
        return _homes.AsSpan(0, count);
    }

    /// <summary>Makes the next locks such that others read through them, or not.</summary>
    public void SetReadable(bool isReadable)
    {
        Debug.Assert(_count == 0);
        IsReadable = isReadable;
    }

    /// <summary>Makes room for the growth gates of several shards, so that each one entered is left again.</summary>
    public void ReserveGates(int count) => _gates.EnsureCapacity(count);

    /// <summary>Enters the growth gate of a shard before any bucket: what is locked then is exclusive.</summary>
    public void EnterGate(Lock growthGate)
    {
        Debug.Assert(_count == 0, "A gate comes before all buckets.");
        growthGate.Enter();
        _gates.Add(growthGate);
    }

    /// <summary>Locks homes, by their numbers, in the order of their pages.</summary>
    public void Lock(SharedState state, ReadOnlySpan<ulong> homes)
    {
        Debug.Assert(_count == 0, "Others come before what is held.");
        ulong last = 0;
        foreach (ulong home in homes)
            last = Math.Max(last, home);
        ulong pages = last / IndexPage.BucketCount + 1;
        if (pages <= (ulong)homes.Length * PagesPerKeyMax)
            LockMarked(state, homes, (int)pages);
        else
            LockSorted(state, homes);
    }

    /// <summary>Holds one more bucket of a page that is held in part, unless another thread does.</summary>
    public bool TryHold(Bucket bucket, out uint version)
    {
        int index = IndexOf(bucket.Page);
        ref var held = ref _pages[index];
        ulong bit = 1UL << bucket.IndexInPage;
        ref uint known = ref _versions[index * IndexPage.BucketCount + bucket.IndexInPage];
        if ((held.Buckets & bit) == 0)
        {
            if (!(IsReadable ? bucket.TryLockReadable(out known) : bucket.TryLock(out known)))
            {
                version = 0;
                return false;
            }

            held.Buckets |= bit;
            held.Readable |= IsReadable ? bit : 0;
        }

        Debug.Assert(Bucket.IsHeld(bucket.ReadVersion()), "What the set has is locked until its end.");
        version = known;
        return true;
    }

    /// <summary>Notes that a bucket will have another version: for each change another one.</summary>
    /// <remarks>Of a batch that others read through, one for all of its changes.</remarks>
    public void MarkChanged(Bucket bucket)
    {
        int index = IndexOf(bucket.Page);
        ref var held = ref _pages[index];
        ulong bit = 1UL << bucket.IndexInPage;
        Debug.Assert((held.Buckets & bit) != 0, "Only what is held is changed.");
        if ((held.Changed & bit) != 0 && !IsReadable)
        {
            uint version = _versions[index * IndexPage.BucketCount + bucket.IndexInPage] += Bucket.VersionStep;
            bucket.InitializeVersion(version + 1); // Odd: it stays locked.
        }

        held.Changed |= bit;
    }

    /// <summary>Unlocks everything.</summary>
    public void Exit()
    {
        for (int i = _count - 1; i >= 0; i--)
        {
            ref readonly var held = ref _pages[i];
            for (ulong buckets = held.Buckets; buckets != 0; buckets &= buckets - 1)
            {
                int index = BitOperations.TrailingZeroCount(buckets);
                uint version = _versions[i * IndexPage.BucketCount + index];
                if ((held.Readable & (1UL << index)) != 0)
                    held.Page[index].UnlockReadable(version);
                else
                    held.Page[index].Unlock(version, (held.Changed & (1UL << index)) != 0);
            }
        }

        _count = _last = 0;
        _isIndexed = IsReadable = false;
        for (int i = _gates.Count - 1; i >= 0; i--)
        {
            Debug.Assert(_gates[i].IsHeldByCurrentThread);
            _gates[i].Exit();
        }

        _gates.Clear();
    }

    /// <summary>The versions at which the buckets of a page were locked; all are held.</summary>
    public Span<uint> VersionsOf(IndexPage page) =>
        _versions.AsSpan(IndexOf(page) * IndexPage.BucketCount, IndexPage.BucketCount);

    /// <summary>Makes room for one more page before it is locked, since nothing may fail afterwards.</summary>
    public void ReservePage() => EnsurePages(_count + 1);

    /// <summary>Takes over a page that was split off one of these; all buckets of both are changed.</summary>
    public void Add(IndexPage from, IndexPage page, ReadOnlySpan<uint> versions)
    {
        Debug.Assert(_count < _pages.Length, "Room was reserved.");
        _isIndexed = false;
        _pages[IndexOf(from)].Changed = AllBuckets;
        int index = 0;
        while (index < _count && _pages[index].Page[0].Order < page[0].Order)
            index++;
        _pages.AsSpan(index, _count - index).CopyTo(_pages.AsSpan(index + 1));
        int first = index * IndexPage.BucketCount;
        int end = _count * IndexPage.BucketCount;
        _versions.AsSpan(first, end - first).CopyTo(_versions.AsSpan(first + IndexPage.BucketCount));
        _pages[index] = new HeldPage { Page = page, Buckets = AllBuckets, Changed = AllBuckets };
        versions.CopyTo(_versions.AsSpan(first));
        _count++;
    }

    /// <summary>Locks homes that lie in most of the pages up to the last one.</summary>
    private void LockMarked(SharedState state, ReadOnlySpan<ulong> homes, int pages)
    {
        if (_marks.Length < pages)
        {
            int capacity = Math.Max(pages, _marks.Length * 2);
            ulong[] grown = new ulong[capacity];
            RoomSteps.At(RoomStep.MemoryIsTaken);
            _indexes = new int[capacity];
            _marks = grown; // Last: its length is that of both.
        }

        var marks = _marks.AsSpan(0, pages);
        marks.Clear();
        int count = 0;
        foreach (ulong home in homes)
        {
            ref ulong buckets = ref marks[(int)(home / IndexPage.BucketCount)];
            count += buckets == 0 ? 1 : 0;
            buckets |= 1UL << (int)(home % IndexPage.BucketCount);
        }

        EnsurePages(count);
        ClearReserved(count);
        for (int number = 0; number < pages; number++)
        {
            if (marks[number] == 0)
                continue;
            _indexes[number] = _count;
            bool isWhole = IsExclusive || BitOperations.PopCount(marks[number]) >= WholePageMin;
            Lock(state, state.Index.Pages[(uint)number], isWhole ? AllBuckets : marks[number]);
        }

        Debug.Assert(_count == count, "Each page is locked once.");
        _firstOrder = state.Index.Pages[0][0].Order;
        _isIndexed = true;
    }

    /// <summary>Locks homes that lie far apart.</summary>
    private void LockSorted(SharedState state, ReadOnlySpan<ulong> homes)
    {
        if (_ordered.Length < homes.Length)
            _ordered = new ulong[homes.Length];
        var ordered = _ordered.AsSpan(0, homes.Length);
        homes.CopyTo(ordered);
        ordered.Sort();
        int count = CountPages(ordered);
        EnsurePages(count);
        ClearReserved(count);
        for (int i = 0; i < ordered.Length;)
        {
            ulong number = ordered[i] / IndexPage.BucketCount;
            ulong buckets = 0;
            for (; i < ordered.Length && ordered[i] / IndexPage.BucketCount == number; i++)
                buckets |= 1UL << (int)(ordered[i] % IndexPage.BucketCount);
            bool isWhole = IsExclusive || BitOperations.PopCount(buckets) >= WholePageMin;
            Lock(state, state.Index.Pages[(uint)number], isWhole ? AllBuckets : buckets);
        }

        Debug.Assert(_count == count, "Each page is locked once.");
    }

    private void Lock(SharedState state, IndexPage page, ulong buckets)
    {
        Debug.Assert(_count < _pages.Length, "Room was made before.");
        Debug.Assert(
            _count == 0 || _pages[_count - 1].Page[0].Order < page[0].Order,
            "In one order, so that no two threads wait for each other.");
        ref var held = ref _pages[_count];
        held = new HeldPage { Page = page };
        int first = _count++ * IndexPage.BucketCount;
        for (; buckets != 0; buckets &= buckets - 1)
        {
            int index = BitOperations.TrailingZeroCount(buckets);
            _versions[first + index] = IsReadable ? state.LockReadable(page[index]) : state.Lock(page[index]);
            held.Buckets |= 1UL << index;
            held.Readable |= IsReadable ? 1UL << index : 0;
        }
    }

    private int IndexOf(IndexPage page)
    {
        if (_pages[_last].Page.Equals(page))
            return _last;
        nuint order = page[0].Order;
        if (_isIndexed)
        {
            _last = _indexes[(int)((order - _firstOrder) / IndexPage.Size)];
            Debug.Assert(_pages[_last].Page.Equals(page), "One of its buckets is held, so it is still the key's page.");
            return _last;
        }

        int low = 0;
        int high = _count - 1;
        while (low < high)
        {
            int middle = (low + high) / 2;
            if (_pages[middle].Page[0].Order < order)
                low = middle + 1;
            else
                high = middle;
        }

        Debug.Assert(_pages[low].Page.Equals(page), "One of its buckets is held, so it is still the key's page.");
        return _last = low;
    }

    private void EnsurePages(int count)
    {
        if (count <= _pages.Length)
            return;
        int capacity = Math.Max(count, _pages.Length * 2);
        uint[] versions = new uint[capacity * IndexPage.BucketCount];
        _versions.AsSpan(0, _count * IndexPage.BucketCount).CopyTo(versions);
        Array.Resize(ref _pages, capacity);
        _versions = versions;
    }

    private static int CountPages(ReadOnlySpan<ulong> ordered)
    {
        int count = 0;
        for (int i = 0; i < ordered.Length; i++)
        {
            if (i == 0 || ordered[i] / IndexPage.BucketCount != ordered[i - 1] / IndexPage.BucketCount)
                count++;
        }

        return count;
    }

    /// <summary>A page, and which of its buckets are held, changed, read through: one bit for each.</summary>
    private struct HeldPage
    {
        public IndexPage Page;
        public ulong Buckets;
        public ulong Changed;
        public ulong Readable;
    }
}
