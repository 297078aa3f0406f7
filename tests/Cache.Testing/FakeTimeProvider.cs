namespace Cache.Testing;

/// <summary>
/// A clock that moves only when a test says so; the timers that fall due on the way fire inside the call.
/// </summary>
/// <remarks>
/// Thread-safe. The monotonic timestamp and the wall clock move together, except that <see cref="JumpWallClock"/> moves
/// the latter alone, as an administrator or a time server does.
/// </remarks>
internal sealed class FakeTimeProvider : TimeProvider
{
    // Any moment will do, if it is the same in every run.
    private static readonly DateTimeOffset _start = new(2026, 1, 1, 0, 0, 0, TimeSpan.Zero);

    private readonly Lock _gate = new();
    private readonly List<FakeTimer> _timers = [];
    private long _ticks;
    private long _wallClockOffset;

    public override long TimestampFrequency => TimeSpan.TicksPerSecond;

    public override TimeZoneInfo LocalTimeZone => TimeZoneInfo.Utc;

    public override long GetTimestamp() => Volatile.Read(ref _ticks);

    public override DateTimeOffset GetUtcNow() => _start.AddTicks(GetTimestamp() + Volatile.Read(ref _wallClockOffset));

    public override ITimer CreateTimer(TimerCallback callback, object? state, TimeSpan dueTime, TimeSpan period)
    {
        var timer = new FakeTimer(this, () => callback(state));
        timer.Change(dueTime, period);
        return timer;
    }

    public void Advance(int milliseconds) => Advance(TimeSpan.FromMilliseconds(milliseconds));

    /// <summary>Moves time on; each timer sees the moment at which it is due.</summary>
    public void Advance(TimeSpan by)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(by, TimeSpan.Zero);
        long end = GetTimestamp() + by.Ticks;
        while (TakeDue(end) is { } timer)
            timer.Fire();
        Volatile.Write(ref _ticks, end);
    }

    /// <summary>Moves time on as for a process that was suspended: a timer that missed many turns fires once.</summary>
    public void Skip(TimeSpan by)
    {
        ArgumentOutOfRangeException.ThrowIfLessThan(by, TimeSpan.Zero);
        long end = GetTimestamp() + by.Ticks;
        lock (_gate)
        {
            Volatile.Write(ref _ticks, end);
            foreach (var timer in _timers)
                timer.DueTicks = Math.Max(timer.DueTicks, end - timer.PeriodTicks);
        }

        Advance(TimeSpan.Zero);
    }

    /// <summary>Moves the wall clock, forward or back, while no time passes.</summary>
    public void JumpWallClock(TimeSpan by) => Interlocked.Add(ref _wallClockOffset, by.Ticks);

    internal void Schedule(FakeTimer timer, TimeSpan dueTime, TimeSpan period)
    {
        lock (_gate)
        {
            _timers.Remove(timer);
            if (dueTime == Timeout.InfiniteTimeSpan)
                return;
            timer.DueTicks = _ticks + dueTime.Ticks;
            timer.PeriodTicks = period.Ticks;
            _timers.Add(timer);
        }
    }

    internal void Cancel(FakeTimer timer)
    {
        lock (_gate)
            _timers.Remove(timer);
    }

    private FakeTimer? TakeDue(long end)
    {
        lock (_gate)
        {
            var timer = _timers.MinBy(static timer => timer.DueTicks);
            if (timer is null || timer.DueTicks > end)
                return null;
            Volatile.Write(ref _ticks, Math.Max(_ticks, timer.DueTicks));
            if (timer.PeriodTicks > 0)
                timer.DueTicks += timer.PeriodTicks;
            else
                _timers.Remove(timer);
            return timer;
        }
    }
}
