using System.Diagnostics;
using System.Text;

namespace Cache.Server.Statistics;

/// <summary>The counters that INFO shows, except those of the store.</summary>
/// <remarks>
/// Nothing here is written per command: each lent context counts in its own fields, and reading sums them up. A reset
/// keeps the sums of that moment and subtracts them from then on, since the fields belong to their borrowers.
/// Thread-safe.
/// </remarks>
/// <param name="commandCount">The number of commands.</param>
/// <param name="ticksPerSecond">Of the server's clock.</param>
internal sealed class ServerStatistics(int commandCount, long ticksPerSecond)
{
    // At most this many kinds of errors are counted, as in Redis 7.2; scripts could invent any number.
    private const int ErrorKindCountMax = 128;

    private readonly Lock _lock = new();
    private readonly Lock _ratesLock = new();
    private Dictionary<(int Database, string Key), double>? _rates;
    private long _ratesUntil;
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
            foreach (long[]? folded in _foldedLatencies)
            {
                for (int i = 0; folded is not null && i < sums.Length; i++)
                    sums[i] += folded[i];
            }

            foreach (var counters in _counters)
                counters.AddLatenciesTo(sums);
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

    /// <summary>The keys that are used most often, the most frequent first.</summary>
    /// <param name="now">The present moment by the server's clock, in ticks.</param>
    public List<HotKey> GetHotKeys(long now)
    {
        var sums = new Dictionary<(int Database, string Key), (double Reads, double Writes)>();
        lock (_lock)
        {
            foreach (var counters in _counters)
                counters.AddKeysTo(sums, now);
        }

        var keys = new List<HotKey>(sums.Count);
        foreach (var ((database, key), (reads, writes)) in sums)
            keys.Add(new HotKey(Encoding.Latin1.GetBytes(key), database, reads, writes));
        keys.Sort(static (one, other) => other.Rate.CompareTo(one.Rate));
        return keys;
    }

    /// <summary>Reads, hits, writes and traffic of a second, by prefixes.</summary>
    /// <param name="separator">What ends the parts of a key.</param>
    /// <param name="now">The present moment by the server's clock, in ticks.</param>
    public PrefixTable SumPrefixes(byte separator, long now)
    {
        var sums = new PrefixTable();
        lock (_lock)
        {
            foreach (var counters in _counters)
                counters.AddPrefixesTo(sums, separator, now);
        }

        return sums;
    }

    /// <summary>The requests per second of a key; 0 if it is not among the keys that are used most often.</summary>
    /// <remarks>Found in a list that is made at most once a second: a client may ask for all keys.</remarks>
    public double FindRate(ReadOnlySpan<byte> key, int database, long now)
    {
        if (key.Length > KeyCandidates.KeyLengthMax)
            return 0;
        lock (_ratesLock)
        {
            if (now >= _ratesUntil || _rates is null)
            {
                _rates = [];
                foreach (var one in GetHotKeys(now))
                    _rates[(one.Database, Encoding.Latin1.GetString(one.Key))] = one.Rate;
                _ratesUntil = now + ticksPerSecond;
            }

            return _rates.GetValueOrDefault((database, Encoding.Latin1.GetString(key)));
        }
    }

    /// <summary>Forgets which keys were used often.</summary>
    public void ResetHotKeys()
    {
        lock (_lock)
        {
            foreach (var counters in _counters)
                counters.ResetKeys();
        }
    }

    /// <summary>The largest buffers of clients in the last seconds.</summary>
    public (long Input, long Output) GetBufferPeaks(long nowMs)
    {
        (long input, long output) = (0, 0);
        lock (_lock)
        {
            foreach (var counters in _counters)
            {
                var peaks = counters.Peaks.Read(nowMs);
                (input, output) = (Math.Max(input, peaks.Input), Math.Max(output, peaks.Output));
            }
        }

        return (input, output);
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
