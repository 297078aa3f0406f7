namespace Cache.Server.Clients;

/// <summary>Counts how often each limit was met, and decides which events are logged.</summary>
/// <remarks>
/// At most one log line for each limit in ten seconds: a client that provokes refusals must not flood the log. The line
/// says how many events it stands for. Thread-safe.
/// </remarks>
internal sealed class LimitEvents
{
    private const int LineIntervalMs = 10_000;

    private readonly Count[] _counts = new Count[Enum.GetValues<ConnectionLimit>().Length];

    /// <summary>How often the limit was met since the last reset.</summary>
    public long this[ConnectionLimit limit]
    {
        get
        {
            ref var count = ref _counts[(int)limit];
            return Interlocked.Read(ref count.Total) - Interlocked.Read(ref count.Baseline);
        }
    }

    /// <summary>How often any limit was met since the last reset.</summary>
    public long Total
    {
        get
        {
            long total = 0;
            for (int i = 0; i < _counts.Length; i++)
                total += this[(ConnectionLimit)i];
            return total;
        }
    }

    /// <summary>Counts an event of a limit.</summary>
    /// <param name="limit">The limit.</param>
    /// <param name="nowMs">The time by any steady clock.</param>
    /// <param name="unlogged">The events since the last line, without this one.</param>
    /// <returns>Whether to write a line.</returns>
    public bool Add(ConnectionLimit limit, long nowMs, out long unlogged)
    {
        ref var count = ref _counts[(int)limit];
        long total = Interlocked.Increment(ref count.Total);
        unlogged = 0;
        long due = Interlocked.Read(ref count.NextLineMs);

        // Of several threads that find a line due, the one whose exchange of the moment succeeds writes it.
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
