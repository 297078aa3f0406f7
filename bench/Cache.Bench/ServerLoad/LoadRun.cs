using System.Diagnostics;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Text;
using Cache.Bench.Subjects;

namespace Cache.Bench.ServerLoad;

/// <summary>Connects, preloads, warms up, and measures rounds; all connections rest between two phases.</summary>
internal sealed class LoadRun : IDisposable
{
    // A preload's batch: what one send takes, and no deeper than servers are used to.
    private const int PreloadBatchBytes = 64 * 1024;
    private const int PreloadDepthMax = 64;

    // A reply that takes longer never comes.
    private static readonly TimeSpan _replyTimeout = TimeSpan.FromSeconds(30);

    private readonly LoadOptions _options;
    private readonly LoadConnection[] _connections;
    private readonly int _preloadDepth;
    private int _streams;

    /// <exception cref="SocketException">There is no server at the target.</exception>
    /// <exception cref="AuthenticationException">The server's certificate is not trusted.</exception>
    /// <exception cref="IOException">The server ends the handshake of TLS.</exception>
    /// <exception cref="WrongAnswerException">The server does not accept the password.</exception>
    public LoadRun(LoadOptions options)
    {
        _options = options;
        var values = new ValuePattern(options.ValueBytes);
        _preloadDepth = Math.Clamp(PreloadBatchBytes / options.ValueBytes, 1, PreloadDepthMax);
        int depthMax = Math.Max(options.Pipeline, _preloadDepth);
        _connections = new LoadConnection[options.Connections];
        for (int i = 0; i < _connections.Length; i++)
            _connections[i] = new LoadConnection(options, Connect(options), values, depthMax);
    }

    /// <exception cref="WrongAnswerException">A reply was wrong, or did not come.</exception>
    public PreloadFigures Preload()
    {
        long? before = ResidentBytes();
        long began = Stopwatch.GetTimestamp();
        using var phase = new LoadPhase(_connections.Length, _preloadDepth);
        for (int i = 0; i < _connections.Length; i++)
            _connections[i].Prepare(phase, new SequentialSets(i, _connections.Length, _options.Keys), schedule: null);
        Begin();
        WaitForReplies(phase);
        if (phase.Failure is not null)
            throw new WrongAnswerException($"Preload: {phase.Failure}");

        var seconds = Stopwatch.GetElapsedTime(began).TotalSeconds;
        long? after = ResidentBytes();
        return new PreloadFigures
        {
            Keys = _options.Keys,
            Seconds = seconds,
            ResidentBytesBefore = before,
            ResidentBytesAfter = after,
            EntryOverheadBytes = (double?)(after - before) / _options.Keys - _options.KeyBytes - _options.ValueBytes,
        };
    }

    /// <exception cref="WrongAnswerException">A reply was wrong, or did not come.</exception>
    public void WarmUp()
    {
        if (_options.WarmupSeconds > 0 && _options.Rounds > 0)
            Measure(_options with { Seconds = _options.WarmupSeconds, Requests = 0 });
    }

    /// <exception cref="WrongAnswerException">A reply was wrong, or did not come.</exception>
    public RoundFigures MeasureRound() => Measure(_options);

    public void Dispose()
    {
        foreach (var connection in _connections)
            connection.Dispose();
    }

    /// <summary>Connects a socket of the target's kind.</summary>
    /// <exception cref="SocketException">There is no server at the target.</exception>
    public static Socket ConnectTo(EndPoint target)
    {
        var socket = target is UnixDomainSocketEndPoint
            ? new Socket(AddressFamily.Unix, SocketType.Stream, ProtocolType.Unspecified)
            : new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        socket.Connect(target);
        return socket;
    }

    private RoundFigures Measure(LoadOptions options)
    {
        using var phase = new LoadPhase(_connections.Length, options.Pipeline);
        var schedules = options.Rate > 0 ? SendSchedule.Divide(options.Rate, _connections.Length) : null;
        for (int i = 0; i < _connections.Length; i++)
        {
            long share = options.Requests == 0 ? long.MaxValue : options.Requests / _connections.Length;
            if (options.Requests > 0 && i < options.Requests % _connections.Length)
                share++;
            _connections[i].Prepare(phase, new MixedCommands(options, _streams++, share), schedules?[i]);
        }

        var server = ServerUsage();
        var client = ProcessUsage.Read(Environment.ProcessId);
        long began = Stopwatch.GetTimestamp();
        if (schedules is null)
            Begin();
        else
            new Thread(new Pacer(_connections, phase).Run) { IsBackground = true, Name = "pacer" }.Start();
        WaitForEnd(phase, options);
        double seconds = Stopwatch.GetElapsedTime(began).TotalSeconds;
        return Figures(seconds, server, ServerUsage(), client, ProcessUsage.Read(Environment.ProcessId));
    }

    private void Begin()
    {
        foreach (var connection in _connections)
            ThreadPool.UnsafeQueueUserWorkItem(connection, preferLocal: false);
    }

    private void WaitForEnd(LoadPhase phase, LoadOptions options)
    {
        // A number of requests takes as long as it takes; without one, the time ends the round.
        if (options.Requests == 0)
        {
            phase.Wait(TimeSpan.FromSeconds(options.Seconds));
            phase.End();
        }

        WaitForReplies(phase);
        if (phase.Failure is { } failure)
            throw new WrongAnswerException(failure);
    }

    // As long as replies come, however many are left. The counts are read while they change: any change will do.
    private void WaitForReplies(LoadPhase phase)
    {
        long replies = 0;
        while (!phase.Wait(_replyTimeout))
        {
            long before = replies;
            replies = _connections.Sum(static connection => connection.Counts.Operations);
            if (replies == before)
                throw new WrongAnswerException($"No reply came within {_replyTimeout.TotalSeconds} s.");
        }
    }

    private RoundFigures Figures(
        double seconds, ProcessUsage? server, ProcessUsage? serverAfter, ProcessUsage client, ProcessUsage clientAfter)
    {
        var counts = new LoadCounts();
        foreach (var connection in _connections)
            counts.Add(connection.Counts);
        double Milliseconds(double quantile) => counts.Latencies.AtQuantile(quantile) * 1000.0 / Stopwatch.Frequency;
        double PerOperation(TimeSpan time) => time.TotalMicroseconds / Math.Max(1, counts.Operations);
        return new RoundFigures
        {
            Operations = counts.Operations,
            Hits = counts.Hits,
            Misses = counts.Misses,
            Stored = counts.Stored,
            OperationsPerSecond = counts.Operations / seconds,
            P50Ms = Milliseconds(0.5),
            P99Ms = Milliseconds(0.99),
            P999Ms = Milliseconds(0.999),
            MaxMs = Milliseconds(1),
            ServerUserMicros = server is null ? null : PerOperation(serverAfter!.Value.User - server.Value.User),
            ServerSystemMicros = server is null ? null : PerOperation(serverAfter!.Value.System - server.Value.System),
            ClientCpuMicros = PerOperation(clientAfter.User + clientAfter.System - client.User - client.System),
        };
    }

    private ProcessUsage? ServerUsage() => _options.ProcessId is { } id ? ProcessUsage.Read(id) : null;

    private long? ResidentBytes() => ServerUsage()?.ResidentBytes;

    private static Stream Connect(LoadOptions options)
    {
        Stream stream = new NetworkStream(ConnectTo(options.Target), ownsSocket: true);
        if (options.Tls is not null)
        {
            var tls = new SslStream(stream);
            tls.AuthenticateAsClient(options.Tls);
            stream = tls;
        }

        if (options.Password is not null)
            Authenticate(stream, options.Password);
        return stream;
    }

    private static void Authenticate(Stream stream, string password)
    {
        int passwordBytes = Encoding.UTF8.GetByteCount(password);
        stream.Write(Encoding.UTF8.GetBytes($"*2\r\n$4\r\nAUTH\r\n${passwordBytes}\r\n{password}\r\n"));
        byte[] reply = new byte[256];
        int length = 0;
        while (length < reply.Length && !reply.AsSpan(0, length).EndsWith("\r\n"u8))
        {
            int received = stream.Read(reply.AsSpan(length));
            if (received == 0)
                break;
            length += received;
        }

        string text = Encoding.UTF8.GetString(reply, 0, length).TrimEnd();
        if (text != "+OK")
            throw new WrongAnswerException($"AUTH was answered: {text}");
    }
}
