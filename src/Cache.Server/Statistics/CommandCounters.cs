using System.Diagnostics;

namespace Cache.Server.Statistics;

/// <summary>
/// Counts commands, their durations and traffic in plain fields, for the client that is served at the time.
/// </summary>
/// <remarks>
/// Written by one thread at a time, the one that has borrowed its context; others may read counts that are a moment
/// old.
/// </remarks>
/// <param name="commandCount">The number of commands.</param>
/// <param name="ticksPerSecond">Of the clock that measures durations.</param>
internal sealed class CommandCounters(int commandCount, long ticksPerSecond)
{
    private const double NanosecondsPerSecond = 1e9;

    private readonly double _nanosecondsPerTick = NanosecondsPerSecond / ticksPerSecond;
    private readonly CommandCount[] _commands = new CommandCount[commandCount];

    // Made at the first sample.
    private KeySamples? _keys;

    // Made at the first sample of a key.
    private PrefixSamples? _prefixes;

    // Made at the first call of each command.
    private readonly LatencyHistogram?[] _latencies = new LatencyHistogram?[commandCount];

    /// <summary>The traffic of connections.</summary>
#pragma warning disable CA1051 // A field, since counters are written in place, without a copy.
    public TrafficCount Traffic;
#pragma warning restore CA1051

    /// <summary>The longest calls; of a group of common requests, the time of all.</summary>
    public LatencyMaxima Maxima { get; } = new(ticksPerSecond);

    /// <summary>The largest buffers of clients.</summary>
    public BufferPeaks Peaks { get; } = new();

    /// <summary>Counts a call.</summary>
    public void CountCall(int command) => _commands[command].Calls++;

    /// <summary>Takes back the count of a call that will be repeated.</summary>
    public void TakeBackCall(int command) => _commands[command].Calls--;

    /// <summary>Counts that a call failed.</summary>
    public void CountFailure(int command) => _commands[command].Failures++;

    /// <summary>Counts the duration of some calls of a command, which share it equally.</summary>
    /// <param name="command">The command's index.</param>
    /// <param name="ticks">The duration of all.</param>
    /// <param name="calls">Their number.</param>
    /// <param name="isTracked">Whether it counts for percentiles too.</param>
    public void AddTime(int command, long ticks, int calls, bool isTracked)
    {
        Debug.Assert(calls > 0);
        _commands[command].Ticks += ticks;
        if (isTracked)
            LatencyOf(command).Add((long)(ticks * _nanosecondsPerTick) / calls, calls);
    }

    /// <summary>Adds the counts to sums, by the commands' indexes.</summary>
    public void AddTo(Span<CommandCount> sums, ref TrafficCount traffic)
    {
        for (int i = 0; i < _commands.Length; i++)
            sums[i].Add(_commands[i]);
        traffic.Add(Traffic);
    }

    /// <summary>Adds the durations of all calls to sums, by their classes.</summary>
    public void AddLatenciesTo(Span<long> sums)
    {
        for (int i = 0; i < _latencies.Length; i++)
            AddLatenciesTo(sums, i);
    }

    /// <summary>Adds the durations of a command's calls to sums, by their classes.</summary>
    public void AddLatenciesTo(Span<long> sums, int command) => Volatile.Read(ref _latencies[command])?.AddTo(sums);

    /// <summary>The samples of keys; only for the borrower of the context.</summary>
    public KeySamples Keys => _keys ?? MakeKeys();

    /// <summary>The samples of prefixes; only for the borrower of the context.</summary>
    public PrefixSamples Prefixes => _prefixes ?? MakePrefixes();

    /// <summary>Adds the figures of a second by prefixes to sums.</summary>
    public void AddPrefixesTo(PrefixTable sums, byte separator, long now) =>
        Volatile.Read(ref _prefixes)?.AddTo(sums, separator, now);

    /// <summary>Adds the requests per second of the most frequent keys to sums.</summary>
    public void AddKeysTo(Dictionary<(int Database, string Key), (double Reads, double Writes)> sums, long now) =>
        Volatile.Read(ref _keys)?.AddTo(sums, now);

    /// <summary>Forgets the samples of keys.</summary>
    public void ResetKeys()
    {
        Volatile.Read(ref _keys)?.Reset();
        Volatile.Read(ref _prefixes)?.Reset();
    }

    private PrefixSamples MakePrefixes()
    {
        var made = new PrefixSamples(ticksPerSecond);
        Volatile.Write(ref _prefixes, made);
        return made;
    }

    private KeySamples MakeKeys()
    {
        var made = new KeySamples(ticksPerSecond, (ulong)Random.Shared.NextInt64(1, long.MaxValue));
        Volatile.Write(ref _keys, made);
        return made;
    }

    private LatencyHistogram LatencyOf(int command)
    {
        if (_latencies[command] is { } latency)
            return latency;
        var made = new LatencyHistogram();
        Volatile.Write(ref _latencies[command], made);
        return made;
    }
}
