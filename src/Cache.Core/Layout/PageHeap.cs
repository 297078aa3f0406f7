using System.Diagnostics;
using System.Numerics;
using System.Runtime.InteropServices;

namespace Cache.Core.Layout;

/// <summary>Memory for large values in runs of whole grains, out of one reservation of address space.</summary>
/// <remarks>
/// Address space is abundant, memory is not: a gap between two runs costs none, because free memory is given back to
/// the system, all but a small share from which the next runs are taken first. So nothing has to move. A reservation is
/// never unmapped while a run of it is in use. If it has no free run that is long enough, and on systems without
/// reservations, a run gets its own memory.
/// A thread that frees a run makes no system call, since many may wait for that thread, and the run may have half a
/// gigabyte. Free memory beyond the share (the excess) is given back by threads that take memory, of this heap or for a
/// segment, the same number of bytes, so that the excess does not add to the memory in use; by a thread of the pool
/// when it exceeds twice the share; and by each sweep.
/// Thread-safe; the gate is the last of all locks, and no system call is made under it.
/// </remarks>
internal sealed unsafe class PageHeap : IDisposable
{
    // The fraction of the limit that is kept ready beyond it: getting a page from the system takes as long as copying
    // ten.
    private const int SpareDivisor = 64;

    /// <summary>The most that a heap keeps ready, whatever its limit: a few values of megabytes.</summary>
    public const long SpareBytesMax = 16 << 20;

    // A run longer than this fraction of the share would replace all others: it is given back first.
    private const int SpareRunDivisor = 2;

    // The bytes given back at a time, about half a millisecond: others can take the rest of a long run meanwhile.
    private const long PieceBytesMax = 4 << 20;

    // A thread that takes a run gives back no more than this, two milliseconds: the pool's thread does the rest.
    private const long PaidBytesMax = 16 << 20;

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
    private readonly Action<PageHeap> _queue;

    // Guarded by the gate. Out are the runs that were taken, and those being given back to the system.
    private long _spareBytesMax;
    private long _outCount;
    private bool _isAskedFor;
    private bool _isClosed;
    private bool _isDisposed;
    private bool _isUnmapped;
    private bool _isReducing;

    /// <param name="limitBytes">The store's limit.</param>
    /// <param name="addressBytes">The address space to reserve, if the system allows it.</param>
    /// <param name="queue">Queues the reduction of a heap to the thread pool; a test's own, or null.</param>
    public PageHeap(long limitBytes, long addressBytes, Action<PageHeap>? queue = null)
    {
        _queue = queue ?? (static heap => ThreadPool.UnsafeQueueUserWorkItem(
            static heap => heap.Reduce(), heap, preferLocal: false));
        Grain = limitBytes < SmallLimit ? SmallGrain : PageSize;
        _grainShift = BitOperations.Log2((uint)Grain);
        _spareBytesMax = SpareBytesFor(limitBytes);
        if (!OperatingSystem.IsLinux())
            return;
        _reservation = new NativeReservation(
            PageSize, Math.Min(addressBytes, Grain * GrainsMax), hugePages: false, isOneRange: false);
        int count = (int)(_reservation.Length >> _grainShift);
        _free = new FreeRuns(count);
        int first = PageSize / Grain; // The first page is not used, since grain 0 is none.
        if (count > first)
            _free.Give(first, count - first, resident: false);
    }

    /// <summary>The unit of all lengths.</summary>
    public int Grain { get; }

    /// <summary>The free bytes that may still have memory.</summary>
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

    private long ExcessBytes => UnsynchronizedSpareBytes - _spareBytesMax;

    /// <summary>The length of the run for this many bytes.</summary>
    public long SizeOf(long bytes) => (bytes + Grain - 1) & -Grain;

    /// <summary>A run of exactly this length, with any content; null if the system has no memory.</summary>
    public byte* TryTake(long length)
    {
        Debug.Assert(length > 0);
        Debug.Assert(length % Grain == 0);
        byte* run = null;
        bool isResident;
        lock (_gate)
        {
            if (_isClosed)
                return null;
            _isAskedFor = true;
            int grains = (int)(length >> _grainShift);
            int first = 0;
            isResident = _free is not null && _free.TryTake(grains, resident: true, out first);
            if (isResident || (_free is not null && _free.TryTake(grains, resident: false, out first)))
            {
                _outCount++;
                run = _reservation!.Start + ((long)first << _grainShift);
            }
        }

        if (!isResident)
            GiveBackFor(length);
        return run is null ? NativeReservation.TryMapPages(length) : run;
    }

    /// <summary>
    /// Gives back as many bytes of the excess as a thread is about to take, so that they do not add up.
    /// </summary>
    public void GiveBackFor(long bytes) => GiveBackSpare(Math.Min(bytes, PaidBytesMax));

    /// <summary>Takes a run back.</summary>
    public void Give(byte* start, long length)
    {
        if (_reservation is null || start < _reservation.Start || start >= _reservation.Start + _reservation.Length)
        {
            Unmap(start, length);
            return;
        }

        int first = (int)((start - _reservation.Start) >> _grainShift);
        int grains = (int)(length >> _grainShift);
        Debug.Assert(_reservation.Start + ((long)first << _grainShift) == start);
        bool isClosed;
        bool isExcessive;
        lock (_gate)
        {
            Debug.Assert(_outCount > 0);
            isClosed = _isClosed;
            _free!.Give(first, grains, resident: true);

            // A closed heap's last run is out until its memory is gone.
            if (!isClosed)
                _outCount--;
            isExcessive = !isClosed && !_isReducing && ExcessBytes > _spareBytesMax;
            _isReducing |= isExcessive;
        }

        if (isClosed)
            GiveBackLast();
        else if (isExcessive)
            QueueReduction();
    }

    /// <summary>Changes the limit, and with it the memory that is kept ready.</summary>
    public void FitTo(long limitBytes)
    {
        lock (_gate)
        {
            if (!_isClosed)
                _spareBytesMax = SpareBytesFor(limitBytes);
        }

        GiveBackSpare(long.MaxValue);
    }

    /// <summary>
    /// Gives the excess back to the system, or all spare memory if none was used since the last time.
    /// </summary>
    public void DropUnasked()
    {
        bool isAskedFor;
        lock (_gate)
        {
            isAskedFor = _isAskedFor;
            _isAskedFor = false;
        }

        GiveBackSpare(long.MaxValue, isAll: !isAskedFor);
    }

    /// <summary>Allocates no more runs, and gives free memory back at once; runs in use stay.</summary>
    public void Close()
    {
        lock (_gate)
        {
            _isClosed = true;
            _spareBytesMax = 0;
        }

        GiveBackSpare(long.MaxValue);
    }

    /// <summary>Closes the heap, and unmaps its address space as soon as no run is out.</summary>
    public void Dispose()
    {
        Close();
        lock (_gate)
            _isDisposed = true;
        UnmapIfLast();
    }

    private static long SpareBytesFor(long limitBytes) => Math.Min(SpareBytesMax, limitBytes / SpareDivisor);

    private void QueueReduction()
    {
        try
        {
            _queue(this);
        }
        catch (OutOfMemoryException) // There is no memory for a work item: the next freed run tries again.
        {
            lock (_gate)
                _isReducing = false;
        }
    }

    private void Reduce()
    {
        lock (_gate)
            _isReducing = false; // Before the work: it may miss runs that are freed from now on.
        GiveBackSpare(long.MaxValue);
    }

    private void GiveBackLast()
    {
        GiveBackSpare(long.MaxValue);
        lock (_gate)
        {
            Debug.Assert(_outCount > 0);
            _outCount--;
        }

        UnmapIfLast();
    }

    /// <summary>Gives up to this many bytes of the excess, or of all free memory, back to the system.</summary>
    private void GiveBackSpare(long bytesMax, bool isAll = false)
    {
        while (bytesMax > 0)
        {
            int first;
            int grains;
            lock (_gate)
            {
                long excess = isAll ? UnsynchronizedSpareBytes : ExcessBytes;
                long piece = SizeOf(Math.Min(Math.Min(excess, bytesMax), PieceBytesMax));
                if (excess <= 0 || !TryTakeSpare(piece >> _grainShift, out first, out grains))
                    return;
                bytesMax -= (long)grains << _grainShift;
                _free!.TakePagesAround(ref first, ref grains, PageSize / Grain);
                _outCount++;
            }

            GiveBack(first, grains);
        }
    }

    // Long runs first; then the shortest, since useless pieces would otherwise fill the share.
    private bool TryTakeSpare(long grainsMax, out int first, out int grains) =>
        _free!.TryTakeOfLongest(
            (_spareBytesMax / SpareRunDivisor >> _grainShift) + 1, grainsMax, out first, out grains)
        || _free.TryTakeShortest(grainsMax, out first, out grains);

    /// <summary>Gives the memory of an unused run back to the system, and adds the run to the free ones.</summary>
    private void GiveBack(int first, int grains)
    {
        while (true)
        {
            // Pages shared with a neighbour stay: the neighbour is in use, or gives them back itself.
            long start = ((long)first * Grain + PageSize - 1) & -PageSize;
            long end = (first + (long)grains) * Grain & -PageSize;
            if (end > start)
                _ = _reservation!.TryDiscard(start, end - start);
            lock (_gate)
            {
                // A neighbour may be given back at the same time: the last one gives back the page that both share. The
                // run grows in each turn, by less than two pages in all.
                if (_free!.TakePagesAround(ref first, ref grains, PageSize / Grain))
                    continue;
                _free.Give(first, grains, resident: false);
                Debug.Assert(_outCount > 0);
                _outCount--;
                break;
            }
        }

        UnmapIfLast();
    }

    // A run with its own memory, since there were too few addresses.
    private static void Unmap(byte* start, long length)
    {
        if (length <= PieceBytesMax)
        {
            NativeReservation.UnmapPages(start, length);
            return;
        }

        ThreadPool.UnsafeQueueUserWorkItem(
            static run => NativeReservation.UnmapPages((byte*)run.Start, run.Length),
            (Start: (nint)start, Length: length),
            preferLocal: false);
    }

    private void UnmapIfLast()
    {
        lock (_gate)
        {
            if (!_isDisposed || _isUnmapped || _outCount != 0)
                return;
            Debug.Assert(_isClosed, "Nothing is handed out any more.");
            _isUnmapped = true;
        }

        _reservation?.Dispose();
        _free?.Dispose();
    }
}
