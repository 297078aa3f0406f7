namespace Cache.Server.Statistics;

/// <summary>The figures of sampled requests by the prefixes of their keys, of the last minute or two.</summary>
/// <remarks>
/// Counted in windows of a minute, of which the last and the present one are kept. Concurrency: written by one thread
/// at a time, the one that has borrowed its context. It never waits: while a reader holds the gate, some microseconds,
/// its samples are dropped.
/// </remarks>
/// <param name="ticksPerSecond">Of the clock that gives the moments.</param>
internal sealed class PrefixSamples(long ticksPerSecond)
{
    /// <summary>The duration of a window: a hit ratio of a prefix needs some hundred samples.</summary>
    public const int WindowSeconds = 60;

    // What was counted longer ago than this is of no interest any more.
    private const int SecondsKept = 3 * WindowSeconds;

    private readonly Lock _gate = new();
    private PrefixTable _present = new();
    private PrefixTable _former = new();
    private long _start;
    private long _formerStart;
    private long _lastAt;
    private bool _hasFormer;
    private bool _hasAny;
    private byte _separator;

    /// <summary>Counts a sampled request of a key.</summary>
    /// <param name="key">The key.</param>
    /// <param name="separator">What ends the parts of a key.</param>
    /// <param name="figures">What is counted.</param>
    /// <param name="now">When it was executed, in ticks.</param>
    public void Add(ReadOnlySpan<byte> key, byte separator, in PrefixFigures figures, long now)
    {
        if (!_gate.TryEnter())
            return;
        try
        {
            if (!_hasAny || separator != _separator)
                Begin(separator, now);
            else if (now - _start >= WindowSeconds * ticksPerSecond)
                BeginWindow(now);
            _lastAt = now;
            _present.Add(key, separator, figures);
        }
        finally
        {
            _gate.Exit();
        }
    }

    /// <summary>Adds the figures of a second to sums. Any thread.</summary>
    public void AddTo(PrefixTable sums, byte separator, long now)
    {
        lock (_gate)
        {
            if (!_hasAny || separator != _separator || now - _lastAt > SecondsKept * ticksPerSecond)
                return;
            long ticks = Math.Max(ticksPerSecond, now - (_hasFormer ? _formerStart : _start));
            double perSecond = ticksPerSecond / (double)ticks;
            sums.Add(_present, perSecond);
            if (_hasFormer)
                sums.Add(_former, perSecond);
        }
    }

    /// <summary>Forgets all samples. Any thread.</summary>
    public void Reset()
    {
        lock (_gate)
            _hasAny = false;
    }

    private void Begin(byte separator, long now)
    {
        _present.Clear();
        _separator = separator;
        _start = now;
        _hasFormer = false;
        _hasAny = true;
    }

    private void BeginWindow(long now)
    {
        _hasFormer = now - _start <= 2 * WindowSeconds * ticksPerSecond;
        _formerStart = _start;
        _start = now;
        (_present, _former) = (_former, _present);

        // What is counted whole stays so: a part with many prefixes will have them again.
        _present.Clear();
        if (_hasFormer)
            _present.AddWholeParts(_former);
    }
}
