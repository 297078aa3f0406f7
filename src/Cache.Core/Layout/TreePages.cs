using System.Diagnostics;
using System.Numerics;
using System.Runtime.CompilerServices;

namespace Cache.Core.Layout;

/// <summary>The pages of trees: 1 to 8 grains of 512 bytes, cut from slabs of 64 KB. Thread-safe.</summary>
/// <remarks>
/// <code>
///  │ slab 0: never used │ slab 1 │ slab 2 │ …     a slab has 128 grains, and pages of one length
///  a page's number: its first grain, so that 32 bits reach 2 TB; 0: no page
/// </code>
/// The memory is never unmapped while a thread can reach it, so a reader with a stale number reads garbage, and finds
/// out by the version of its collection. The budget pays for whole slabs. A page has one referrer, which makes it
/// movable: slabs of which little is used become victims, whose pages are moved to others (TreePages.Victims.cs).
///
/// The gate is the last of all locks: nothing is called under it. No system call is made under it either; the memory of
/// slabs without pages stays for the next ones until <see cref="DropSpare"/>.
/// </remarks>
internal sealed unsafe partial class TreePages : IDisposable
{
    public const int SlabGrains = 128;

    public const int SlabLength = SlabGrains * TreePage.GrainSize;

    /// <summary>What a slab counts, with what is known of it.</summary>
    public const int SlabBytes = SlabLength + SlabInfo.Size;

    // Threads on different processors seldom meet; a processor has one.
    private const int StripesMax = 64;

    private readonly NativeReservation _reservation;
    private readonly NativeReservation _infos;
    private readonly SlabInfo* _slabs;
    private readonly SlabBudget _budget;
    private readonly TreePageCache[] _caches;
    private readonly Lock _gate = new();
    private bool _isDisposed; // Set under the gate; read there, and before a cache is asked.

    /// <param name="lengthMin">The least length of the addresses.</param>
    /// <param name="lengthWanted">The length if the system allows it.</param>
    /// <param name="budget">What pays for slabs.</param>
    /// <param name="cachedPerLength">How many pages of each length a stripe keeps.</param>
    /// <param name="hugePages">Whether to ask for huge pages.</param>
    public TreePages(long lengthMin, long lengthWanted, SlabBudget budget, int cachedPerLength, bool hugePages)
    {
        ArgumentOutOfRangeException.ThrowIfGreaterThan(cachedPerLength, TreePageCache.PagesPerLengthMax);
        const long LengthMax = ((long)uint.MaxValue + 1 - SlabGrains) * TreePage.GrainSize;
        _budget = budget;
        _reservation = new NativeReservation(
            lengthMin + SlabLength, Math.Min(lengthWanted + SlabLength, LengthMax), hugePages);
        SlabCountMax = (int)(Math.Min(_reservation.Length, LengthMax) / SlabLength);
        long infoLength = (long)SlabCountMax * SlabInfo.Size;
        _infos = new NativeReservation(infoLength, infoLength, hugePages: false);
        _slabs = (SlabInfo*)_infos.Start;
        Addresses = new TreePageAddresses(_reservation.Start, (uint)((long)SlabCountMax * SlabGrains - 1));
        _caches = new TreePageCache[
            BitOperations.RoundUpToPowerOf2((uint)Math.Min(Environment.ProcessorCount, StripesMax))];
        for (int i = 0; i < _caches.Length; i++)
            _caches[i] = new TreePageCache(cachedPerLength);
    }

    public TreePageAddresses Addresses { get; }

    /// <summary>What stubs stand for; null if their bytes mean nothing.</summary>
    public StubOwner? Stubs { get; init; }

    /// <summary>The slabs that there are addresses for, slab 0 included.</summary>
    public int SlabCountMax { get; }

    /// <summary>What the slabs in use count.</summary>
    public long UsedBytes
    {
        get
        {
            lock (_gate)
                return _slabsInUse * (long)SlabBytes;
        }
    }

    /// <summary>The pages that are out, those in caches included, in bytes.</summary>
    public long PageBytes
    {
        get
        {
            lock (_gate)
                return _grainsInUse * TreePage.GrainSize;
        }
    }

    /// <summary>The memory of slabs without pages that was not given back to the system; not counted.</summary>
    public long SpareBytes
    {
        get
        {
            lock (_gate)
                return _spareCount * (long)SlabLength;
        }
    }

    private TreePageCache Cache => _caches[Thread.GetCurrentProcessorId() & (_caches.Length - 1)];

    /// <summary>Takes a page, its content undefined; false if the budget or the addresses refuse a slab.</summary>
    /// <param name="grains">The length.</param>
    /// <param name="page">The page.</param>
    /// <param name="mayOverdraw">Whether the budget may give a little more than it has: for removals.</param>
    public bool TryTake(int grains, out uint page, bool mayOverdraw = false)
    {
        Debug.Assert(grains is >= 1 and <= TreePage.GrainsMax);
        page = 0;
        return !Volatile.Read(ref _isDisposed)
            && (Cache.TryTake(grains, out page)
                || TryTakeFromOpenSlab(grains, out page)
                || TryTakeFromNewSlab(grains, mayOverdraw, out page));
    }

    /// <summary>The same, where no slab is taken: a page that is moved must not need more memory.</summary>
    public bool TryTakeFromOpenSlab(int grains, out uint page)
    {
        lock (_gate)
        {
            int slab = _isDisposed ? 0 : _lists[grains];
            page = slab == 0 ? 0 : TakePlace(slab);
            return slab != 0;
        }
    }

    /// <summary>Gives a page back. The caller has removed what referred to it, or not published it.</summary>
    public void Give(uint page)
    {
        Debug.Assert(page >= SlabGrains && page < (long)SlabCountMax * SlabGrains);
        ref var info = ref InfoOf(SlabOf(page));
        // A page of a victim goes back at once: it is what the victim waits for.
        if (info.State == SlabState.Victim || !Cache.TryGive(info.Grains, page))
            GiveToSlab(page);
    }

    /// <summary>The length of a page that is out, in grains.</summary>
    public int GrainsOf(uint page)
    {
        Debug.Assert(page >= SlabGrains);
        return InfoOf(SlabOf(page)).Grains;
    }

    /// <summary>Gives the pages that are kept for the next taker back to their slabs.</summary>
    public void FlushCaches()
    {
        Span<uint> pages = stackalloc uint[TreePage.GrainsMax * TreePageCache.PagesPerLengthMax];
        foreach (var cache in _caches)
        {
            int count = cache.TakeAll(pages);
            for (int i = 0; i < count; i++)
                GiveToSlab(pages[i]);
        }
    }

    /// <summary>Gives the memory back; no page can be taken any more, and late readers find zeros.</summary>
    /// <remarks>What is known of the slabs stays: a late writer may still give back what it had taken.</remarks>
    public void Dispose()
    {
        lock (_gate)
            Volatile.Write(ref _isDisposed, true);
        FlushCaches();
        _reservation.Dispose();
    }

    private static int SlabOf(uint page) => (int)(page / SlabGrains);

    [MethodImpl(MethodImplOptions.AggressiveInlining)] // An address is a shift and an addition.
    private ref SlabInfo InfoOf(int slab)
    {
        Debug.Assert((uint)slab < (uint)SlabCountMax);
        AddressCheck.InRange(_slabs + slab, SlabInfo.Size);
        return ref _slabs[slab];
    }
}
