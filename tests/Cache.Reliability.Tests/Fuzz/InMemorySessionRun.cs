using System.Collections.Concurrent;
using System.Text;
using Cache.Core;
using Cache.Server;
using Cache.Testing;

namespace Cache.Reliability.Tests.Fuzz;

/// <summary>Runs a session on a server and a clock of its own, in one thread: it always runs alike.</summary>
internal sealed class InMemorySessionRun : IAsyncDisposable
{
    private const long MemoryLimitBytes = 4 << 20;

    // A session leaves requests unfinished on purpose, and lets minutes pass.
    private static readonly RespServerOptions _options = new() { PartialRequestTimeout = TimeSpan.Zero };

    private readonly FakeTimeProvider _clock;
    private readonly CacheStore _store;
    private readonly InMemoryServer _server;
    private readonly Dictionary<int, (InMemoryClient Client, FuzzConnectionLog Log)> _connections = [];
    private readonly bool _isUnsettled;

    // What the server posts to the thread of its transport, which is this one.
    private readonly ConcurrentQueue<Action> _posted;
    private int _requests;

    private InMemorySessionRun(
        CacheStore store, FakeTimeProvider clock, InMemoryServer server, ConcurrentQueue<Action> posted,
        bool isUnsettled)
    {
        _posted = posted;
        _store = store;
        _clock = clock;
        _server = server;
        _isUnsettled = isUnsettled;
    }

    /// <returns>How many requests the server executed.</returns>
    /// <exception cref="FuzzFailureException">Something is not as it must be.</exception>
    public static Task<int> RunAsync(FuzzSession session) => RunAsync(session, isHot: false);

    /// <summary>The same, while other keys of the same bucket are written each time that a reply needs room.</summary>
    public static Task<int> RunHotAsync(FuzzSession session) => RunAsync(session, isHot: true);

    private static async Task<int> RunAsync(FuzzSession session, bool isHot)
    {
        var clock = new FakeTimeProvider();
        var options = new CacheOptions { MemoryLimitBytes = MemoryLimitBytes, ShardCount = 2 };
        using var store = isHot ? HotWriter.CreateStore(options, clock) : new CacheStore(options, clock);
        var writer = isHot ? new HotWriter(store) : null;
        var posted = new ConcurrentQueue<Action>();
        var bounds = new InMemoryBounds { Pass = writer is null ? null : writer.Pass, Post = posted.Enqueue };
        var server = await InMemoryServer.StartAsync(store, _options, bounds);
        writer?.Clients = server.Server.State.Clients;
        await using var run = new InMemorySessionRun(store, clock, server, posted, session.IsUnsettling);
        long bytesBefore = store.GetStatistics().MemoryBytes;
        foreach (var step in session.Steps)
        {
            run.Take(step);
            run.Settle();
            writer?.Read();
        }

        foreach (int connection in run._connections.Keys.ToArray())
            run.Close(connection);
        run.Settle();
        writer?.Check();
        run.CheckAfterwards(bytesBefore);
        return run._requests;
    }

    public async ValueTask DisposeAsync() => await _server.DisposeAsync();

    private void Take(FuzzStep step)
    {
        switch (step.Kind)
        {
            case FuzzStepKind.Send:
                Send(step.Connection, step.Bytes);
                break;
            case FuzzStepKind.Close:
                Close(step.Connection);
                break;
            case FuzzStepKind.Vanish:
                Vanish(step.Connection);
                break;
            default:
                _clock.Advance(step.Connection);
                break;
        }
    }

    private void Send(int connection, byte[] bytes)
    {
        if (!_connections.TryGetValue(connection, out var pair))
            _connections[connection] = pair = (_server.Connect(), new FuzzConnectionLog());
        if (pair.Client.IsClosed)
            return;
        pair.Log.Sent(bytes);
        pair.Client.Send(bytes);
        Receive(pair.Client, pair.Log);
    }

    // Messages come to clients other than the one that sent: all are read, so that no write of the server waits.
    private void Settle()
    {
        do
        {
            while (_posted.TryDequeue(out var work))
                work();
            foreach (var (client, log) in _connections.Values)
                Receive(client, log);
        }
        while (!_posted.IsEmpty);
    }

    // What is read makes room, so that the server may go on and say more.
    private static void Receive(InMemoryClient client, FuzzConnectionLog log)
    {
        while (true)
        {
            byte[] bytes = client.ReadAll();
            log.Received(bytes);
            if (bytes.Length > 0)
                continue;
            if (client.IsPaused && !client.IsClosed)
                throw new FuzzFailureException("The server takes no more input although all its replies were read.");
            return;
        }
    }

    private void Close(int connection)
    {
        if (!_connections.Remove(connection, out var pair))
            return;
        Receive(pair.Client, pair.Log);
        bool wasClosed = pair.Client.IsClosed;
        pair.Client.Close();
        Receive(pair.Client, pair.Log);
        _requests += pair.Log.Check(isWhole: true, wasClosed, _isUnsettled);
        if (!pair.Client.IsClosed)
            throw new FuzzFailureException("The client has closed, the server has not.");
        pair.Client.Vanish();
    }

    private void Vanish(int connection)
    {
        if (!_connections.Remove(connection, out var pair))
            return;
        Receive(pair.Client, pair.Log);
        _requests += pair.Log.Check(isWhole: true, pair.Client.IsClosed, _isUnsettled);
        pair.Client.Vanish();
    }

    private void CheckAfterwards(long bytesBefore)
    {
        int clients = _server.Server.State.Clients.Count;
        if (clients > 0)
            throw new FuzzFailureException($"{clients} clients are counted although all have gone.");
        if (!_isUnsettled)
            CheckAnswers();
        StoreChecks.RequireWhole(_store);
        _store.ClearAll();
        _store.MemoryLimitBytes = MemoryLimitBytes;
        _clock.Advance(2_000);
        StoreChecks.RequireEmpty(_store, bytesBefore);
        StoreChecks.RequireWhole(_store);
    }

    private void CheckAnswers()
    {
        var client = _server.Connect();
        client.Send("*1\r\n$4\r\nPING\r\n"u8);
        string reply = Encoding.Latin1.GetString(client.ReadAll());
        if (reply != "+PONG\r\n")
            throw new FuzzFailureException($"After the session PING was answered by '{reply}'.");
        client.Vanish();
    }
}
