using System.Collections.Concurrent;
using System.Text;
using Cache.Core;
using Cache.Core.Hashing;
using Cache.Reliability.Tests.Fuzz;
using Cache.Server;
using Cache.Testing;
using Microsoft.Extensions.Logging;

namespace Cache.Reliability.Tests.Stop;

/// <summary>One run of a script on a server of its own, at one of whose points something ends.</summary>
internal sealed class StopRun : IAsyncDisposable
{
    private static readonly RespServerOptions _options = new() { DrainTimeout = TimeSpan.FromSeconds(1) };

    // What takes so long on the slowest machine does not happen.
    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(30);

    private readonly FakeTimeProvider _clock;
    private readonly ErrorLog _log;
    private readonly StringBuilder _received = new();
    private readonly InMemoryServer _server;
    private readonly InMemoryClient _client;

    private StopRun(CacheStore store, FakeTimeProvider clock, StopPoints points, InMemoryServer server, ErrorLog log)
    {
        (Store, _clock, Points, _server, _log) = (store, clock, points, server, log);
        _client = server.Connect();
    }

    public StopPoints Points { get; }

    public CacheStore Store { get; }

    public RespServer Server => _server.Server;

    public string Received => _received.ToString();

    /// <summary>How many bytes were sent before the point was met, or until it was.</summary>
    public int SentBytes { get; private set; }

    public static async Task<StopRun> StartAsync(StopPoints points, bool sharesThread)
    {
        var clock = new FakeTimeProvider();
        var log = new ErrorLog();
        var options = new CacheOptions { MemoryLimitBytes = 4 << 20, ShardCount = 1 };

        // In each run the keys come in the same order.
        var hash = KeyedHash.Create(new byte[AesHash.SecretLength]);
        var store = new CacheStore(options, new TellingTime(clock, points.Pass), hash);
        var bounds = new InMemoryBounds { SharesThread = sharesThread, Pass = points.Pass };
        var server = await InMemoryServer.StartAsync(store, _options, bounds, log);
        return new StopRun(store, clock, points, server, log);
    }

    /// <summary>Sends all pieces, and reads what comes, until the last reply, the point or the end.</summary>
    public void Send(byte[][] pieces)
    {
        foreach (byte[] piece in pieces)
        {
            WaitFor(() => !_client.IsPaused || _client.IsClosed);
            SentBytes += Points.Name is null ? piece.Length : 0;
            TrySend(piece);
        }

        WaitFor(() => _client.IsClosed || Points.Name is not null || HasLastReply);
        Points.Act = null;
    }

    /// <summary>Ends what is left, and proves that nothing is.</summary>
    /// <exception cref="FuzzFailureException">Something is.</exception>
    public void End()
    {
        WaitFor(() => Points.Acting.IsCompleted, passTime: true);
        Points.Acting.GetAwaiter().GetResult();
        var stopping = Server.StopAsync(CancellationToken.None);
        WaitFor(() => stopping.IsCompleted, passTime: true);
        stopping.GetAwaiter().GetResult();
        WaitFor(() => _client.IsClosed && Server.State.Clients.Count == 0 && Server.State.ClientMemory.Bytes == 0);
        if (!Store.IsDisposed)
            StoreChecks.RequireWhole(Store);
        Store.Dispose();
        if (_log.Errors.TryPeek(out string? error))
            throw new FuzzFailureException(error);
    }

    public async ValueTask DisposeAsync()
    {
        Points.Act = null;
        await _server.DisposeAsync();
        Store.Dispose();
    }

    private bool HasLastReply
    {
        get
        {
            int start = _received.Length - StopScripts.LastReply.Length - 2;
            return start >= 0 && _received.ToString(start, StopScripts.LastReply.Length) == StopScripts.LastReply;
        }
    }

    // Where the server stops on another thread, its end of the pipe may close while the client writes.
    private void TrySend(byte[] piece)
    {
        try
        {
            _client.Send(piece);
        }
        catch (InvalidOperationException) when (Points.Name is not null)
        {
        }
    }

    // So it may while the client reads.
    private void TryReceive()
    {
        try
        {
            _received.Append(Encoding.Latin1.GetString(_client.ReadAll()));
        }
        catch (InvalidOperationException) when (_client.Connection.IsAborted)
        {
        }
    }

    private void WaitFor(Func<bool> isDone, bool passTime = false)
    {
        long start = TimeProvider.System.GetTimestamp();
        while (true)
        {
            TryReceive();
            if (isDone())
                return;
            if (TimeProvider.System.GetElapsedTime(start) > _patience)
                throw new FuzzFailureException($"It did not end within {_patience}.");
            if (passTime)
                _clock.Advance(100);
            Thread.Yield();
        }
    }

    /// <summary>Keeps errors: a defect of a connection or a command, whatever else ends.</summary>
    private sealed class ErrorLog : ILoggerFactory, ILogger
    {
        public ConcurrentQueue<string> Errors { get; } = new();

        public ILogger CreateLogger(string categoryName) => this;

        public void AddProvider(ILoggerProvider provider)
        {
        }

        public IDisposable? BeginScope<TState>(TState state)
            where TState : notnull => null;

        public bool IsEnabled(LogLevel logLevel) => logLevel >= LogLevel.Error;

        public void Log<TState>(
            LogLevel logLevel,
            EventId eventId,
            TState state,
            Exception? exception,
            Func<TState, Exception?, string> formatter)
        {
            if (IsEnabled(logLevel))
                Errors.Enqueue($"{formatter(state, exception)} {exception}");
        }

        public void Dispose()
        {
        }
    }
}
