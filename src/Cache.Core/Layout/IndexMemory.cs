using System.Diagnostics;
using System.Runtime.CompilerServices;

namespace Cache.Core.Layout;

/// <summary>The pages of the index, numbered in one reservation. Thread-safe.</summary>
internal sealed unsafe class IndexMemory : IDisposable
{
    // An eighth of the memory for records.
    private const int PrefaultSteps = 2;

    private readonly NativeReservation _reservation;
    private readonly Prefault _prefault;
    private readonly Lock _gate = new();

    // Guarded by the gate. The lowest next version of each free page.
    private readonly Stack<(uint Page, uint Version)> _free = new();
    private uint _used;

    public IndexMemory(long lengthMin, long lengthWanted, bool hugePages)
    {
        _reservation = new NativeReservation(lengthMin, lengthWanted, hugePages);
        _prefault = new Prefault(_reservation, 0, lengthMin, PrefaultSteps);
        Pages = new IndexPages(_reservation.Start);
    }

    public IndexPages Pages { get; }

    /// <summary>The pages in use.</summary>
    public long Count
    {
        get
        {
            lock (_gate)
                return _used - _free.Count;
        }
    }

    /// <summary>The bytes that are populated before they are used.</summary>
    public long AheadBytes => _prefault.Bytes;

    /// <summary>An unused page; its buckets are empty.</summary>
    /// <remarks>version: The lowest first version of its buckets, so that no version is seen twice.</remarks>
    public bool TryAllocate(out uint page, out uint version)
    {
        lock (_gate)
        {
            if (_free.TryPop(out var free))
            {
                (page, version) = free;
                return true;
            }

            page = _used;
            version = IndexPage.FirstVersion;
            if ((_used + 1L) * IndexPage.Size > _reservation.Length)
                return false;
            if (_used++ % (Prefault.Step / IndexPage.Size) == 0)
                _prefault.Request((long)_used * IndexPage.Size, _prefault.Bytes);
            return true;
        }
    }

    /// <summary>Takes a page back that was not used after all.</summary>
    public void Return(uint page, uint version)
    {
        Debug.Assert(
            version >= IndexPage.FirstVersion && !Bucket.IsHeld(version), "No thread holds a free page's buckets.");
        lock (_gate)
        {
            Debug.Assert(page < _used);
            _free.Push((page, version));
        }
    }

    /// <summary>Takes back an empty page, whose buckets the caller holds, and gives its memory back.</summary>
    /// <remarks>
    /// A late reader or writer finds versions of 0, which no page in use has, and looks at the directory again.
    /// </remarks>
    public void Free(uint page, uint version)
    {
        if (!_reservation.TryDiscard((long)page * IndexPage.Size, IndexPage.Size))
            Pages[page].Clear();
        lock (_gate)
            _free.Push((page, version));
    }

    /// <summary>A page whose buckets are held for ever: the only page of a disposed store.</summary>
    /// <remarks>It is behind the last page that may be allocated, where closing keeps the memory.</remarks>
    public uint CreateHeldPage()
    {
        uint page = (uint)((_reservation.Length + IndexPage.Size - 1) / IndexPage.Size);
        for (int i = 0; i < IndexPage.BucketCount; i++)
            Pages[page][i].InitializeVersion(IndexPage.FirstVersion + 1); // Odd.
        return page;
    }

    /// <summary>Gives the memory of all other pages back: a late operation finds versions of 0 there.</summary>
    public void Dispose() => _reservation.Dispose();
}

/// <summary>The address of the first page, for the hot path.</summary>
internal readonly unsafe struct IndexPages(byte* start)
{
    private readonly byte* _start = start;

    public IndexPage this[uint page]
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)] // An address is a shift and an addition.
        get => new(_start + ((ulong)page * IndexPage.Size));
    }
}
