using System.Runtime.CompilerServices;

namespace Cache.Core.Expiry;

/// <summary>The store's time: milliseconds that only move forward, counted from the Unix time at its start.</summary>
/// <remarks>
/// From construction on only the provider's monotonic timestamp counts, so a wall clock that jumps changes no interval.
/// Moments of the wall clock are converted by the distance of the two clocks, which is read anew for each.
/// <see cref="NowMs"/> is a field that a timer renews, because reading a timestamp costs more than finding an entry; a
/// provider other than the system's (a test's) is read each time, so that a fake advance takes effect at once.
/// </remarks>
internal sealed class CoarseClock : IDisposable
{
    // How late a read may notice an expiry. Shorter wakes an idle process more often; longer is seen by users of short
    // TTLs.
    private const int TickMs = 10;

    // The distance of the clocks counts as unchanged within so much, so that a moment is told as it was given: reading
    // both clocks takes a while, and each is cut to whole milliseconds. No coarser than expiry itself.
    private const int WallToleranceMs = TickMs;

    // A thread that lost its turn between the two clocks reads them again, so many times at the most.
    private const int WallReadingsMax = 4;

    private readonly TimeProvider _timeProvider;
    private readonly ITimer? _timer;
    private readonly long _startTimestamp;
    private readonly long _startMs;

    // Written by the timer alone; read by every operation, unordered: any recent value will do.
    private long _nowMs;

    // What is added to the store's time for that of the wall clock; written by whoever finds another: any recent
    // value will do.
    private long _wallOffsetMs;

    public CoarseClock(TimeProvider timeProvider)
    {
        _timeProvider = timeProvider;
        _startTimestamp = timeProvider.GetTimestamp();
        _startMs = timeProvider.GetUtcNow().ToUnixTimeMilliseconds();
        _nowMs = _startMs;
        if (timeProvider == TimeProvider.System)
        {
            var tick = TimeSpan.FromMilliseconds(TickMs);
            _timer = timeProvider.CreateTimer(static clock => ((CoarseClock)clock!).Tick(), this, tick, tick);
        }
    }

    /// <summary>The time for reads: up to a tick old, without a system call.</summary>
    public long NowMs
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)]
        get => _timer is null ? ReadMs() : Volatile.Read(ref _nowMs);
    }

    /// <summary>The time for writes that set an expiry: exact, so that no entry expires before its time.</summary>
    public long ReadMs() => _startMs + (long)_timeProvider.GetElapsedTime(_startTimestamp).TotalMilliseconds;

    /// <summary>What is to be added to the store's time, at present, for that of the wall clock.</summary>
    public long ReadWallOffsetMs()
    {
        long kept = Volatile.Read(ref _wallOffsetMs);
        long offset = kept;
        for (int i = 0; i < WallReadingsMax; i++)
        {
            long beforeMs = ReadMs();
            offset = _timeProvider.GetUtcNow().ToUnixTimeMilliseconds() - beforeMs;
            if (Math.Abs(offset - kept) <= WallToleranceMs)
                return kept;
            if (ReadMs() - beforeMs <= 1)
                break;
        }

        Volatile.Write(ref _wallOffsetMs, offset);
        return offset;
    }

    public void Dispose() => _timer?.Dispose();

    private void Tick() => Volatile.Write(ref _nowMs, ReadMs());
}
