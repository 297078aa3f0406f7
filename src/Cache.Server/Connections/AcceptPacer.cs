namespace Cache.Server.Connections;

/// <summary>
/// Paces acceptances, so that a flood of connections does not take time from those that are served.
/// </summary>
/// <remarks>
/// A virtual schedule: each acceptance advances it by its share of a second, and it never lags more than a second
/// behind the clock, so a burst of one second's acceptances passes at once. Thread-safe: all listeners share it.
/// </remarks>
internal sealed class AcceptPacer
{
    private readonly Lock _lock = new();
    private readonly TimeProvider _clock;
    private readonly long _interval;
    private long _scheduled;

    public AcceptPacer(int perSecond, TimeProvider clock)
    {
        PerSecond = perSecond;
        _clock = clock;
        _interval = Math.Max(1, clock.TimestampFrequency / perSecond);
        _scheduled = long.MinValue;
    }

    public int PerSecond { get; }

    /// <summary>Counts an acceptance.</summary>
    /// <returns>How long to wait before the next one.</returns>
    public TimeSpan Take()
    {
        long now = _clock.GetTimestamp();
        lock (_lock)
        {
            _scheduled = Math.Max(_scheduled, now - _clock.TimestampFrequency) + _interval;
            return _scheduled <= now ? TimeSpan.Zero : _clock.GetElapsedTime(now, _scheduled);
        }
    }
}
