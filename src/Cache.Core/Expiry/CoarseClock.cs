using System.Runtime.CompilerServices;
using Cache.Core.Layout;

namespace Cache.Core.Expiry;

/// <summary>The store's time: milliseconds that only move forward, counted from the Unix time at its start.</summary>
/// <remarks>
/// From construction on only the provider's monotonic timestamp counts, so a wall clock that jumps changes no interval.
/// A moment of the wall clock is compared with this time and the distance of the two clocks. <see cref="NowMs"/> and
/// that distance are fields that a thread renews, because reading a timestamp costs more than finding an entry; a
/// provider other than the system's (a test's) is read each time, so that a fake advance takes effect at once.
/// </remarks>
internal sealed class CoarseClock : IDisposable
{
    // How late a read may notice an expiry. Shorter wakes an idle process more often; longer is seen by users of short
    // TTLs.
    public const int TickMs = 10;

    // A smaller change of the distance of the clocks is ignored, so that a moment is reported as it was given: reading
    // both clocks takes a while, and each is truncated to whole milliseconds. No coarser than expiry itself.
    private const int WallToleranceMs = TickMs;

    // What is farther ahead of the coarse time than this counts as ahead without a look at the exact one. The ticker is
    // that late where the machine stood still, and what is written then expires with its next tick.
    private const int FarMs = 100 * TickMs;

    // A thread that was preempted between the two clocks reads them again, at most this many times.
    private const int WallReadingsMax = 4;

    private readonly TimeProvider _timeProvider;

    // Whether the fields below are renewed.
    private readonly bool _isTicked;
    private readonly long _startTimestamp;
    private readonly long _startMs;

    // Written by the ticker alone; read by every operation, unordered: any recent value will do.
    private long _nowMs;

    // Added to the store's time, gives that of the wall clock; written by the ticker and by threads that find another
    // distance: any recent value will do.
    private long _wallOffsetMs;

    public CoarseClock(TimeProvider timeProvider)
    {
        _timeProvider = timeProvider;
        _startTimestamp = timeProvider.GetTimestamp();
        _startMs = timeProvider.GetUtcNow().ToUnixTimeMilliseconds();
        _nowMs = _startMs;
        _isTicked = timeProvider == TimeProvider.System;
        if (_isTicked)
            ClockTicker.Add(this);
    }

    /// <summary>The time for reads: up to a tick old, without a system call.</summary>
    public long NowMs
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)] // One load; each write and expiring read has it.
        get => _isTicked ? Volatile.Read(ref _nowMs) : ReadMs();
    }

    /// <summary>Both clocks for reads: up to a tick old, without a system call.</summary>
    public ClockReading Now
    {
        get
        {
            long nowMs = NowMs;
            return new ClockReading(nowMs, nowMs + WallOffsetMs);
        }
    }

    private long WallOffsetMs
    {
        [MethodImpl(MethodImplOptions.AggressiveInlining)] // One load, beside the other.
        get => _isTicked ? Volatile.Read(ref _wallOffsetMs) : ReadWallOffsetMs();
    }

    /// <summary>A sum that saturates at 64 bits.</summary>
    public static long Saturated(long ms, long offsetMs) =>
        offsetMs > 0 ? Math.Min(ms, long.MaxValue - offsetMs) + offsetMs
        : Math.Max(ms, long.MinValue - offsetMs) + offsetMs;

    /// <summary>Whether a deadline of either clock has passed for reads.</summary>
    /// <remarks>
    /// A deadline of the wall clock is negative. A live one of the store's clock costs only the first comparison.
    /// </remarks>
    [MethodImpl(MethodImplOptions.AggressiveInlining)] // A part of reading an entry that expires.
    public bool HasPassed(long deadline)
    {
        long nowMs = NowMs;
        return deadline <= nowMs && (!Deadline.IsOfWall(deadline) || -deadline <= nowMs + WallOffsetMs);
    }

    /// <summary>Whether a deadline of either clock is so far ahead that no exact reading is needed to tell.</summary>
    public bool IsFarAhead(long deadline)
    {
        long nowMs = NowMs;
        return Deadline.IsOfWall(deadline) ? -deadline - FarMs > nowMs + WallOffsetMs : deadline - FarMs > nowMs;
    }

    /// <summary>Both clocks for writes that set a moment of the wall clock: exact.</summary>
    public ClockReading Read()
    {
        long nowMs = ReadMs();
        return new ClockReading(nowMs, nowMs + ReadWallOffsetMs());
    }

    /// <summary>
    /// The wall clock in Unix milliseconds, for numbers that are made of it: exact, but for a jump that no tick has
    /// seen yet.
    /// </summary>
    public long ReadUnixMs() => ReadMs() + WallOffsetMs;

    /// <summary>The time for writes that set an expiry: exact, so that no entry expires early.</summary>
    public long ReadMs() => _startMs + (long)_timeProvider.GetElapsedTime(_startTimestamp).TotalMilliseconds;

    /// <summary>Added to the store's time, gives that of the wall clock.</summary>
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

    public void Dispose()
    {
        if (_isTicked)
            ClockTicker.Remove(this);
    }

    /// <summary>Renews what reads see.</summary>
    public void Tick()
    {
        Volatile.Write(ref _nowMs, ReadMs());
        ReadWallOffsetMs();
    }
}
