using System.Diagnostics;

namespace Cache.Server.Statistics;

/// <summary>Chooses requests at random, and counts the keys of these: hot keys.</summary>
/// <remarks>
/// The gaps between two samples are random: every 64th request would see always the same keys of a client that sends
/// them in turn. Samples are counted in windows of ten seconds, of which the last and the present one are kept. A
/// window has one mean gap: the next one has a smaller gap if there were few samples, down to every request; a window
/// with a small gap ends early when requests become many.
/// Concurrency: written by one thread at a time, the one that has borrowed its context. It never waits: while a reader
/// holds the gate, some microseconds, its samples are dropped.
/// </remarks>
/// <param name="ticksPerSecond">Of the clock that gives the moments.</param>
/// <param name="seed">Any number but 0, for the gaps.</param>
internal sealed class KeySamples(long ticksPerSecond, ulong seed)
{
    /// <summary>The mean gap where requests are many.</summary>
    public const int GapMeanMax = 64;

    /// <summary>The least samples of a window that are aimed at.</summary>
    public const int SamplesMin = 2000;

    /// <summary>The duration of a window.</summary>
    public const int WindowSeconds = 10;

    // A window with a gap below the greatest ends after so many: requests have become more.
    private const int SamplesMax = 2 * SamplesMin;

    // What was counted longer ago than this is of no interest any more.
    private const int SecondsKept = 6 * WindowSeconds;

    private readonly Lock _gate = new();
    private readonly HeavyKeeper _sketch = new();
    private KeyCandidates _former = new();
    private Window _formerWindow;
    private Window _window = new() { GapMean = 1 };
    private ulong _random = seed;

    /// <summary>The requests that a sample stands for at present. Only for the borrower of the context.</summary>
    public int GapMean => _window.GapMean;

    /// <summary>The requests until the next sample, which is the last of them.</summary>
    public int NextGap() => NextGap(_window.GapMean, Next());

    /// <summary>A random gap of a mean, of the uniform distribution.</summary>
    public static int NextGap(int mean, ulong random) => 1 + (int)((random >> 32) * (ulong)(2 * mean - 1) >> 32);

    /// <summary>Begins to count a request. The caller then adds its keys, and ends.</summary>
    /// <returns>False if a reader is at it; then nothing is counted.</returns>
    public bool TryBegin(long now)
    {
        if (!_gate.TryEnter())
            return false;
        if (_window.Samples == 0 && _formerWindow.Samples == 0)
            _window.Start = now;
        else if (_window.IsOver(now, ticksPerSecond))
            BeginWindow(now);
        _window.Samples++;
        _window.LastAt = now;
        return true;
    }

    /// <summary>Counts a key of the request.</summary>
    public void Add(ReadOnlySpan<byte> key, int database, bool isWrite)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread);
        if (key.Length <= KeyCandidates.KeyLengthMax)
            _sketch.Add(SampleHash.Of(key, database), Next(), key, database, isWrite);
    }

    /// <summary>Ends a request that <see cref="TryBegin"/> began.</summary>
    public void End() => _gate.Exit();

    /// <summary>Adds the requests per second of the most frequent keys to sums. Any thread.</summary>
    public void AddTo(Dictionary<(int Database, string Key), (double Reads, double Writes)> sums, long now)
    {
        lock (_gate)
        {
            if (_window.Samples == 0 || now - _window.LastAt > SecondsKept * ticksPerSecond)
                return;
            long start = _formerWindow.Samples > 0 ? _formerWindow.Start : _window.Start;
            double seconds = Math.Max(ticksPerSecond, now - start) / (double)ticksPerSecond;
            _sketch.Candidates.AddTo(sums, _window.GapMean / seconds);
            if (_formerWindow.Samples > 0)
                _former.AddTo(sums, _formerWindow.GapMean / seconds);
        }
    }

    /// <summary>Forgets all samples. Any thread.</summary>
    public void Reset()
    {
        lock (_gate)
        {
            _formerWindow = default;
            _window = new Window { GapMean = 1 };
            _sketch.Restart(_sketch.Candidates);
        }
    }

    private void BeginWindow(long now)
    {
        bool isRecent = now - _window.Start <= 2 * WindowSeconds * ticksPerSecond;
        int gapMean = _window.NextGapMean();
        _formerWindow = isRecent ? _window : default;
        var candidates = _former;
        _former = _sketch.Candidates;
        _sketch.Restart(candidates);
        _window = new Window { Start = now, GapMean = gapMean };
    }

    private ulong Next()
    {
        // Xorshift: any numbers that do not follow the requests will do.
        _random ^= _random << 13;
        _random ^= _random >> 7;
        _random ^= _random << 17;
        return _random * 0x9E3779B97F4A7C15;
    }

    private struct Window
    {
        public long Start;
        public long LastAt;
        public int Samples;
        public int GapMean;

        public readonly bool IsOver(long now, long ticksPerSecond) =>
            now - Start >= WindowSeconds * ticksPerSecond || (Samples >= SamplesMax && GapMean < GapMeanMax);

        // So that as many requests as in this window give enough samples. One that ended early had too small a gap.
        public readonly int NextGapMean() => Samples >= SamplesMax
            ? GapMeanMax
            : Math.Clamp((int)((long)Samples * GapMean / SamplesMin), 1, GapMeanMax);
    }
}
