using System.Diagnostics;
using System.Text;

namespace Cache.Server.Statistics;

/// <summary>The counters that INFO shows, except those of the store.</summary>
/// <remarks>
/// Nothing here is written per command: each lent context counts in its own fields, and reading sums them up. A reset
/// keeps the sums of that moment and subtracts them from then on, since the fields belong to their borrowers.
/// Thread-safe.
/// </remarks>
internal sealed class ServerStatistics(int commandCount)
{
    // At most this many kinds of errors are counted, as in Redis 7.2; scripts could invent any number.
    private const int ErrorKindCountMax = 128;

    private readonly Lock _lock = new();
    private readonly List<CommandCounters> _counters = [];
    private readonly CommandCount[] _folded = new CommandCount[commandCount];
    private readonly SortedDictionary<string, long> _errors = new(StringComparer.Ordinal);
    private readonly long[]?[] _foldedLatencies = new long[]?[commandCount];
    private CommandCount[] _baseline = new CommandCount[commandCount];
    private readonly long[]?[] _latencyBaseline = new long[]?[commandCount];
    private TrafficCount _foldedTraffic;
    private TrafficCount _trafficBaseline;
    private long _errorCount;
    private long _failedHandshakes;

    /// <summary>TLS handshakes that failed since the last reset.</summary>
    public long FailedHandshakes => Interlocked.Read(ref _failedHandshakes);

    /// <summary>Counts a TLS handshake that failed.</summary>
    public void CountFailedHandshake() => Interlocked.Increment(ref _failedHandshakes);

    /// <summary>Includes these counters from now on.</summary>
    public void Add(CommandCounters counters)
    {
        lock (_lock)
            _counters.Add(counters);
    }

    /// <summary>Keeps their counts, and drops the counters.</summary>
    public void Fold(CommandCounters counters)
    {
        lock (_lock)
        {
            _counters.Remove(counters);
            counters.AddTo(_folded, ref _foldedTraffic);
            for (int i = 0; i < _foldedLatencies.Length; i++)
            {
                long[] sums = _foldedLatencies[i] ?? new long[LatencyHistogram.ClassCount];
                counters.AddLatenciesTo(sums, i);
                _foldedLatencies[i] = sums;
            }
        }
    }

    /// <summary>Counts a request that was refused before the call.</summary>
    public void CountRejection(int command)
    {
        lock (_lock)
            _folded[command].Rejections++;
    }

    /// <summary>Counts an error reply by its code, its first word.</summary>
    public void CountError(ReadOnlySpan<byte> code)
    {
        lock (_lock)
        {
            _errorCount++;
            string kind = Encoding.ASCII.GetString(code);
            if (_errors.TryGetValue(kind, out long count) || _errors.Count < ErrorKindCountMax)
                _errors[kind] = count + 1;
        }
    }

    /// <summary>Counts of all commands by their index, since the last reset.</summary>
    public CommandCount[] SumCommands()
    {
        lock (_lock)
        {
            var sums = SumEver(out _);
            for (int i = 0; i < sums.Length; i++)
                sums[i] = sums[i].Since(_baseline[i]);
            return sums;
        }
    }

    /// <summary>The durations of a command's calls, since the last reset.</summary>
    public LatencyCounts SumLatencies(int command)
    {
        lock (_lock)
        {
            long[] sums = SumLatenciesEver(command);
            if (_latencyBaseline[command] is { } baseline)
            {
                for (int i = 0; i < sums.Length; i++)
                    sums[i] -= baseline[i];
            }

            return new LatencyCounts(sums);
        }
    }

    /// <summary>Adds the durations of all commands' calls, ever, to sums by their classes.</summary>
    /// <remarks>Whoever shows a moment takes the difference of two; a reset does not change them.</remarks>
    public void AddAllLatenciesTo(Span<long> sums)
    {
        lock (_lock)
        {
            for (int command = 0; command < commandCount; command++)
            {
                if (_foldedLatencies[command] is { } folded)
                {
                    for (int i = 0; i < folded.Length; i++)
                        sums[i] += folded[i];
                }

                foreach (var counters in _counters)
                    counters.AddLatenciesTo(sums, command);
            }
        }
    }

    /// <summary>The longest call of the last seconds in microseconds.</summary>
    /// <param name="now">The present moment by the server's clock, in ticks.</param>
    /// <param name="seconds">1 to <see cref="LatencyMaxima.SecondsMax"/>.</param>
    public long LongestCall(long now, int seconds)
    {
        long longest = 0;
        lock (_lock)
        {
            foreach (var counters in _counters)
                longest = Math.Max(longest, counters.Maxima.LongestOf(now, seconds));
        }

        return longest;
    }

    /// <summary>Commands, reads, writes and bytes of all clients, since the last reset.</summary>
    public TrafficCount SumTraffic()
    {
        lock (_lock)
        {
            SumEver(out var traffic);
            return traffic.Since(_trafficBaseline);
        }
    }

    /// <summary>Error replies by code, and all together.</summary>
    public (KeyValuePair<string, long>[] ByCode, long Total) GetErrors()
    {
        lock (_lock)
            return ([.. _errors], _errorCount);
    }

    /// <summary>CONFIG RESETSTAT: counts from 0 again.</summary>
    public void Reset()
    {
        lock (_lock)
        {
            _baseline = SumEver(out _trafficBaseline);
            for (int i = 0; i < _latencyBaseline.Length; i++)
                _latencyBaseline[i] = SumLatenciesEver(i);
            _errors.Clear();
            _errorCount = 0;
        }

        Interlocked.Exchange(ref _failedHandshakes, 0);
    }

    private CommandCount[] SumEver(out TrafficCount traffic)
    {
        Debug.Assert(_lock.IsHeldByCurrentThread);
        CommandCount[] sums = [.. _folded];
        traffic = _foldedTraffic;
        foreach (var counters in _counters)
            counters.AddTo(sums, ref traffic);
        return sums;
    }

    private long[] SumLatenciesEver(int command)
    {
        Debug.Assert(_lock.IsHeldByCurrentThread);
        long[] sums = [.. _foldedLatencies[command] ?? new long[LatencyHistogram.ClassCount]];
        foreach (var counters in _counters)
            counters.AddLatenciesTo(sums, command);
        return sums;
    }
}
