using System.Diagnostics;
using System.Numerics;
using System.Runtime.InteropServices;

namespace Cache.Core.Layout;

/// <summary>Memory for large values in runs of whole grains, out of one reservation of address space.</summary>
/// <remarks>
/// Address space is abundant, memory is not: a gap between two runs costs none, because what is free is given back to
/// the system, all but a small share that the next runs are taken from first. So nothing has to move. A reservation is
/// never unmapped while a run of it is out. Where it has no run as long as is wanted, and on systems without
/// reservations, a run has memory by itself. Later tenants (slabs of small pages) are runs like any other.
/// Thread-safe; the gate is the last of all locks, and no system call is made under it.
/// </remarks>
internal sealed unsafe class PageHeap : IDisposable
{
    // What is kept ready, beyond the limit, is at most such a part of it: the system needs as long to give a page as it
    // takes to copy ten.
    private const int SpareDivisor = 64;

    /// <summary>What a heap of any limit keeps ready at the most: a few values of megabytes.</summary>
    public const long SpareBytesMax = 16 << 20;

    // A run longer than such a part of what may be kept would replace all the others.
    private const int SpareRunDivisor = 2;

    private const int PageSize = 4 << 10;

    // Small stores have blocks from 2 KB on, of which half would be lost to pages; larger ones have none below 32 KB.
    private const int SmallGrain = 1 << 10;
    private const long SmallLimit = 64 << 20;

    // Numbers of grains, and lengths, are integers.
    private const long GrainsMax = 1 << 30;

    private readonly NativeReservation? _reservation;
    private readonly FreeRuns? _free;
    private readonly Lock _gate = new();
    private readonly int _grainShift;

    // Guarded by the gate. Out is what was taken, and what is on its way back to the system.
    private long _spareBytesMax;
    private long _outCount;
    private bool _isAskedFor;
    private bool _isClosed;
    private bool _isDisposed;

    /// <param name="limitBytes">The store's limit.</param>
    /// <param name="addressBytes">The address space to reserve, if the system lets it.</param>
    public PageHeap(long limitBytes, long addressBytes)
    {
        Grain = limitBytes < SmallLimit ? SmallGrain : PageSize;
        _grainShift = BitOperations.Log2((uint)Grain);
        _spareBytesMax = SpareBytesFor(limitBytes);
        if (!OperatingSystem.IsLinux())
            return;
        _reservation = new NativeReservation(
            PageSize, Math.Min(addressBytes, Grain * GrainsMax), hugePages: false, isOneRange: false);
        int count = (int)(_reservation.Length >> _grainShift);
        _free = new FreeRuns(count);
        int first = PageSize / Grain; // The first page is nobody's, since grain 0 is none.
        if (count > first)
            _free.Give(first, count - first, resident: false);
    }

    /// <summary>What all lengths are multiples of.</summary>
    public int Grain { get; }

    /// <summary>What is free and may still have memory.</summary>
    public long SpareBytes
    {
        get
        {
            lock (_gate)
                return UnsynchronizedSpareBytes;
        }
    }

    /// <summary>The runs of the reservation that are out.</summary>
    public long OutCount
    {
        get
        {
            lock (_gate)
                return _outCount;
        }
    }

    private long UnsynchronizedSpareBytes => _free is null ? 0 : _free.ResidentCount << _grainShift;

    /// <summary>The length of the run that so many bytes take.</summary>
    public long SizeOf(long bytes) => (bytes + Grain - 1) & -Grain;

    /// <summary>A run of exactly this length, whatever it holds; null if the system has no memory.</summary>
    public byte* TryTake(long length)
    {
        Debug.Assert(length > 0);
        Debug.Assert(length % Grain == 0);
        lock (_gate)
        {
            if (_isClosed)
                return null;
            _isAskedFor = true;
            int grains = (int)(length >> _grainShift);
            if (_free is not null
                && (_free.TryTake(grains, resident: true, out int first)
                    || _free.TryTake(grains, resident: false, out first)))
            {
                _outCount++;
                return _reservation!.Start + ((long)first << _grainShift);
            }
        }

        return NativeReservation.TryMapPages(length);
    }

    /// <summary>Takes a run back.</summary>
    public void Give(byte* start, long length)
    {
        if (_reservation is null || start < _reservation.Start || start >= _reservation.Start + _reservation.Length)
        {
            NativeReservation.UnmapPages(start, length);
            return;
        }

        int first = (int)((start - _reservation.Start) >> _grainShift);
        int grains = (int)(length >> _grainShift);
        Debug.Assert(_reservation.Start + ((long)first << _grainShift) == start);
        lock (_gate)
        {
            Debug.Assert(_outCount > 0);
            if (length <= _spareBytesMax / SpareRunDivisor)
            {
                _free!.Give(first, grains, resident: true);
                _outCount--;
                if (UnsynchronizedSpareBytes <= _spareBytesMax)
                    return;
                grains = 0;
            }
            else
            {
                _free!.TakePagesAround(ref first, ref grains, PageSize / Grain);
            }
        }

        if (grains != 0)
            GiveBack(first, grains);
        else
            GiveBackSpare(isAll: false);
    }

    /// <summary>Keeps as much ready as suits another limit.</summary>
    public void FitTo(long limitBytes)
    {
        lock (_gate)
        {
            if (!_isClosed)
                _spareBytesMax = SpareBytesFor(limitBytes);
        }

        GiveBackSpare(isAll: false);
    }

    /// <summary>Gives all that is spare back to the system if nobody has asked for any since the last time.</summary>
    public void DropUnasked()
    {
        bool isAskedFor;
        lock (_gate)
        {
            isAskedFor = _isAskedFor;
            _isAskedFor = false;
        }

        if (!isAskedFor)
            GiveBackSpare(isAll: true);
    }

    /// <summary>Hands nothing out any more, and gives memory back at once; runs that are out stay.</summary>
    public void Close()
    {
        lock (_gate)
        {
            _isClosed = true;
            _spareBytesMax = 0;
        }

        GiveBackSpare(isAll: true);
    }

    /// <summary>Closes the heap, and unmaps its address space as soon as no run is out.</summary>
    public void Dispose()
    {
        Close();
        bool isUnmapped;
        lock (_gate)
        {
            isUnmapped = !_isDisposed && _outCount == 0;
            _isDisposed = true;
        }

        if (isUnmapped)
            Unmap();
    }

    private static long SpareBytesFor(long limitBytes) => Math.Min(SpareBytesMax, limitBytes / SpareDivisor);

    /// <summary>Gives the memory of spare runs back: of what is too much, or of all.</summary>
    private void GiveBackSpare(bool isAll)
    {
        while (true)
        {
            int first;
            int grains;
            lock (_gate)
            {
                long excess = UnsynchronizedSpareBytes - (isAll ? 0 : _spareBytesMax);
                if (excess <= 0 || !_free!.TryTakeShortest(SizeOf(excess) >> _grainShift, out first, out grains))
                    return;
                _free.TakePagesAround(ref first, ref grains, PageSize / Grain);
                _outCount++;
            }

            GiveBack(first, grains);
        }
    }

    /// <summary>Gives the memory of a run that nobody uses back to the system, and the run to the free ones.</summary>
    private void GiveBack(int first, int grains)
    {
        // Pages that a neighbour has a part of stay: it is in use, or gives them back itself.
        long start = ((long)first * Grain + PageSize - 1) & -PageSize;
        long end = (first + (long)grains) * Grain & -PageSize;
        if (end > start)
            _ = _reservation!.TryDiscard(start, end - start);
        bool isUnmapped;
        lock (_gate)
        {
            _free!.Give(first, grains, resident: false);
            _outCount--;
            isUnmapped = _isDisposed && _outCount == 0;
        }

        if (isUnmapped)
            Unmap();
    }

    private void Unmap()
    {
        _reservation?.Dispose();
        _free?.Dispose();
    }
}
