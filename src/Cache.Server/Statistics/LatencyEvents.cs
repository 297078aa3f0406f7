namespace Cache.Server.Statistics;

/// <summary>What took longer than latency-monitor-threshold, by the name of its cause. Thread-safe.</summary>
/// <remarks>As Redis's latency monitor: at most one sample a second, the longest; the last 160 of each cause.</remarks>
internal sealed class LatencyEvents
{
    /// <summary>The most samples of a cause.</summary>
    public const int SamplesMax = 160;

    private readonly Lock _lock = new();
    private readonly SortedDictionary<string, LatencyHistory> _histories = new(StringComparer.Ordinal);

    /// <summary>Notes that something took long.</summary>
    /// <param name="cause">The name of the cause; one of a fixed few.</param>
    /// <param name="atUnixSeconds">When it ended.</param>
    /// <param name="milliseconds">How long it took.</param>
    public void Add(string cause, long atUnixSeconds, long milliseconds)
    {
        lock (_lock)
        {
            if (!_histories.TryGetValue(cause, out var history))
                _histories.Add(cause, history = new LatencyHistory());
            history.Add(new LatencySample(atUnixSeconds, milliseconds));
        }
    }

    /// <summary>The samples of a cause, the oldest first; none if it is unknown.</summary>
    public LatencySample[] GetSamples(string cause)
    {
        lock (_lock)
            return _histories.TryGetValue(cause, out var history) ? [.. history.Samples] : [];
    }

    /// <summary>By cause, in order of their names: the last sample, and the longest ever.</summary>
    public List<(string Cause, LatencySample Last, long LongestMs)> GetLatest()
    {
        lock (_lock)
            return [.. _histories.Select(static one => (one.Key, one.Value.Samples.Last(), one.Value.LongestMs))];
    }

    /// <summary>Forgets a cause.</summary>
    /// <returns>Whether it was known.</returns>
    public bool Reset(string cause)
    {
        lock (_lock)
            return _histories.Remove(cause);
    }

    /// <summary>Forgets all causes.</summary>
    /// <returns>Their number.</returns>
    public int ResetAll()
    {
        lock (_lock)
        {
            int count = _histories.Count;
            _histories.Clear();
            return count;
        }
    }

    private sealed class LatencyHistory
    {
        public Queue<LatencySample> Samples { get; } = new();

        public long LongestMs { get; private set; }

        private LatencySample _last;

        public void Add(LatencySample sample)
        {
            LongestMs = Math.Max(LongestMs, sample.Milliseconds);
            if (Samples.Count > 0 && _last.AtUnixSeconds == sample.AtUnixSeconds)
            {
                if (sample.Milliseconds > _last.Milliseconds)
                    ReplaceLast(sample);
                return;
            }

            Samples.Enqueue(sample);
            _last = sample;
            if (Samples.Count > SamplesMax)
                Samples.Dequeue();
        }

        private void ReplaceLast(LatencySample sample)
        {
            LatencySample[] before = [.. Samples];
            before[^1] = _last = sample;
            Samples.Clear();
            foreach (var one in before)
                Samples.Enqueue(one);
        }
    }
}
