using System.Runtime.CompilerServices;

namespace Cache.Core.Layout;

/// <summary>The pages of the index, numbered in one reservation. Thread-safe.</summary>
internal sealed unsafe class IndexMemory : IDisposable
{
    private readonly NativeReservation _reservation;
    private readonly Lock _gate = new();

    // Guarded by the gate.
    private readonly Stack<uint> _free = new();
    private uint _used;

    public IndexMemory(long lengthMin, long lengthWanted, bool hugePages)
    {
        _reservation = new NativeReservation(lengthMin, lengthWanted, hugePages);
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

    /// <summary>A page that nobody uses; its buckets are empty, and their versions as they were left.</summary>
    public bool TryAllocate(out uint page)
    {
        lock (_gate)
        {
            if (_free.TryPop(out page))
                return true;
            page = _used;
            if ((_used + 1L) * IndexPage.Size > _reservation.Length)
                return false;
            _used++;
            return true;
        }
    }

    /// <summary>Takes a page back, empty; a late reader may still look at it and must find its versions.</summary>
    public void Free(uint page)
    {
        lock (_gate)
            _free.Push(page);
    }

    public void Dispose() => _reservation.Dispose();
}

/// <summary>The address of the first page, for the hot path.</summary>
internal readonly unsafe struct IndexPages(byte* start)
{
    private readonly byte* _start = start;

    public IndexPage this[uint page]
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => new(_start + ((ulong)page * IndexPage.Size));
    }
}
