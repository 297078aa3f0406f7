using System.Diagnostics;

namespace Cache.Core.Layout;

/// <summary>Pages of blocks that were freed lately, for the next ones.</summary>
/// <remarks>
/// The system clears a page, and takes an interrupt, when it is first written to. So a few blocks' pages stay, as
/// jemalloc's "dirty" ones do, until nobody has asked for any during a whole sweep. They are not counted against the
/// limit: they are less than a hundredth of it. Thread-safe.
/// </remarks>
internal sealed unsafe class SparePages(long bytesMax)
{
    /// <summary>What a store of any size keeps at the most: eight values of a megabyte.</summary>
    public const long BytesMax = 8 << 20;

    // Looked through from end to end.
    private const int RunsMax = 16;

    // A longer run is kept for a longer block: what is cut off goes back to the system.
    private const int CutFactor = 2;

    private readonly Lock _gate = new();
    private readonly List<(nuint Start, long Length)> _runs = new(RunsMax); // The oldest first.
    private long _bytes;
    private bool _isAskedFor;
    private bool _disposed;

    /// <summary>What is kept at present.</summary>
    public long Bytes => Volatile.Read(ref _bytes);

    /// <summary>Pages of exactly this length, whatever they hold; null if there are none.</summary>
    public byte* TryTake(long length)
    {
        (nuint Start, long Length) run = default;
        lock (_gate)
        {
            _isAskedFor = true;
            for (int i = 0; i < _runs.Count; i++)
            {
                if (_runs[i].Length >= length && _runs[i].Length / CutFactor <= length
                    && (run.Start == 0 || _runs[i].Length < run.Length))
                {
                    run = _runs[i];
                }
            }

            if (run.Start == 0)
                return null;
            _runs.Remove(run);
            _bytes -= run.Length;
        }

        byte* start = (byte*)run.Start;
        if (run.Length > length)
            NativeReservation.UnmapPages(start + length, run.Length - length);
        return start;
    }

    /// <summary>Takes over pages that nobody uses any more.</summary>
    public void Give(byte* start, long length)
    {
        lock (_gate)
        {
            if (!_disposed && length <= bytesMax)
            {
                while (_runs.Count == RunsMax || _bytes + length > bytesMax)
                    DropOldest();
                _runs.Add(((nuint)start, length));
                _bytes += length;
                return;
            }
        }

        NativeReservation.UnmapPages(start, length);
    }

    /// <summary>Gives everything back to the system if nobody has asked for any since the last time.</summary>
    public void DropUnasked()
    {
        lock (_gate)
        {
            while (!_isAskedFor && _runs.Count > 0)
                DropOldest();
            _isAskedFor = false;
        }
    }

    /// <summary>Gives everything back, now and from now on: a reader may release its block late.</summary>
    public void Dispose()
    {
        lock (_gate)
        {
            _disposed = true;
            while (_runs.Count > 0)
                DropOldest();
        }
    }

    private void DropOldest()
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        var (start, length) = _runs[0];
        _runs.RemoveAt(0);
        _bytes -= length;
        NativeReservation.UnmapPages((byte*)start, length);
    }
}
