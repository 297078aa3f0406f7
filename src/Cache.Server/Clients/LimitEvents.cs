namespace Cache.Server.Clients;

/// <summary>How often each limit was met, and which one is logged next.</summary>
/// <remarks>
/// At most one log line for each limit in ten seconds: a client that makes the server refuse makes it log, so the log
/// must not grow with them. The line says how many it stands for. Thread-safe.
/// </remarks>
internal sealed class LimitEvents
{
    private const int LineIntervalMs = 10_000;

    private readonly Count[] _counts = new Count[Enum.GetValues<ConnectionLimit>().Length];

    /// <summary>How often it was met since the last reset.</summary>
    public long this[ConnectionLimit limit]
    {
        get
        {
            ref var count = ref _counts[(int)limit];
            return Interlocked.Read(ref count.Total) - Interlocked.Read(ref count.Baseline);
        }
    }

    /// <summary>Counts that a limit was met.</summary>
    /// <param name="limit">The limit.</param>
    /// <param name="nowMs">The time by any steady clock.</param>
    /// <param name="unlogged">How often it was met since the last line, this time not counted.</param>
    /// <returns>Whether to write a line.</returns>
    public bool Add(ConnectionLimit limit, long nowMs, out long unlogged)
    {
        ref var count = ref _counts[(int)limit];
        long total = Interlocked.Increment(ref count.Total);
        unlogged = 0;
        long due = Interlocked.Read(ref count.NextLineMs);

        // Of several threads that find a line due, the one that moves the moment writes it.
        if (nowMs < due || Interlocked.CompareExchange(ref count.NextLineMs, nowMs + LineIntervalMs, due) != due)
            return false;
        unlogged = total - 1 - Interlocked.Exchange(ref count.Logged, total);
        return true;
    }

    /// <summary>CONFIG RESETSTAT: counts from 0 again.</summary>
    public void Reset()
    {
        foreach (ref var count in _counts.AsSpan())
            Interlocked.Exchange(ref count.Baseline, Interlocked.Read(ref count.Total));
    }

    private struct Count
    {
        public long Total;
        public long Baseline;
        public long Logged;
        public long NextLineMs;
    }
}
