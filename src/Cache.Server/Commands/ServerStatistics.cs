using System.Text;

namespace Cache.Server.Commands;

/// <summary>The counters that INFO shows, except those of the store.</summary>
/// <remarks>
/// Nothing here is written per command: clients count in fields of their own and fold them in when they leave. Reading
/// sums over the clients that are connected, which costs nothing until somebody asks. A reset keeps the sums of that
/// moment and subtracts them from then on, since the fields of a client belong to its thread. Thread-safe.
/// </remarks>
internal sealed class ServerStatistics(int commandCount)
{
    // So many kinds of errors are told apart, as in Redis from 7.2 on; a client could make up more through scripts.
    private const int ErrorKindCountMax = 128;

    private readonly Lock _lock = new();
    private readonly CommandCount[] _folded = new CommandCount[commandCount];
    private readonly SortedDictionary<string, long> _errors = new(StringComparer.Ordinal);
    private CommandCount[] _baseline = new CommandCount[commandCount];
    private TrafficCount _foldedTraffic;
    private TrafficCount _trafficBaseline;
    private long _errorCount;
    private long _failedHandshakes;

    /// <summary>TLS handshakes that failed since the last reset.</summary>
    public long FailedHandshakes => Interlocked.Read(ref _failedHandshakes);

    /// <summary>Counts a TLS handshake that failed.</summary>
    public void CountFailedHandshake() => Interlocked.Increment(ref _failedHandshakes);

    /// <summary>Adds what a client counted for one command.</summary>
    public void Fold(int command, in CommandCount count)
    {
        lock (_lock)
            _folded[command].Add(count);
    }

    /// <summary>Adds everything that a client counted, when it leaves.</summary>
    public void Fold(ClientSession client)
    {
        client.Counters.FoldInto(this);
        lock (_lock)
            _foldedTraffic.Add(client.Traffic);
    }

    /// <summary>Counts a request that was refused before it came to its command.</summary>
    public void CountRejection(int command) => Fold(command, new CommandCount { Rejections = 1 });

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
    public CommandCount[] SumCommands(IEnumerable<ClientSession> clients)
    {
        var sums = SumEver(clients);
        lock (_lock)
        {
            for (int i = 0; i < sums.Length; i++)
                sums[i] = sums[i].Since(_baseline[i]);
        }

        return sums;
    }

    /// <summary>Commands, reads, writes and bytes of all clients, since the last reset.</summary>
    public TrafficCount SumTraffic(IEnumerable<ClientSession> clients)
    {
        var sum = SumTrafficEver(clients);
        lock (_lock)
            return sum.Since(_trafficBaseline);
    }

    /// <summary>Error replies by code, and all together.</summary>
    public (KeyValuePair<string, long>[] ByCode, long Total) GetErrors()
    {
        lock (_lock)
            return ([.. _errors], _errorCount);
    }

    /// <summary>CONFIG RESETSTAT: counts from 0 again.</summary>
    public void Reset(IReadOnlyCollection<ClientSession> clients)
    {
        var commands = SumEver(clients);
        var traffic = SumTrafficEver(clients);
        lock (_lock)
        {
            _baseline = commands;
            _trafficBaseline = traffic;
            _errors.Clear();
            _errorCount = 0;
        }

        Interlocked.Exchange(ref _failedHandshakes, 0);
    }

    private CommandCount[] SumEver(IEnumerable<ClientSession> clients)
    {
        CommandCount[] sums;
        lock (_lock)
            sums = [.. _folded];
        foreach (var client in clients)
            client.Counters.AddTo(sums);
        return sums;
    }

    private TrafficCount SumTrafficEver(IEnumerable<ClientSession> clients)
    {
        TrafficCount sum;
        lock (_lock)
            sum = _foldedTraffic;
        foreach (var client in clients)
            sum.Add(client.Traffic);
        return sum;
    }
}
