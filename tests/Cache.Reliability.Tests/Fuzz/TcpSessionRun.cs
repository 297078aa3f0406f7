using System.Diagnostics;
using System.Net;
using System.Net.Sockets;
using Cache.Core;
using Cache.Server;

namespace Cache.Reliability.Tests.Fuzz;

/// <summary>Runs sessions over TCP, one after the other, on one server.</summary>
internal sealed class TcpSessionRun : IAsyncDisposable
{
    private const long MemoryLimitBytes = 8 << 20;

    // Some periods of the sweep; and what the slowest machine needs for all that it has to do.
    private static readonly TimeSpan _sweepPeriods = TimeSpan.FromMilliseconds(500);
    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(30);

    private readonly CacheStore _store = new(new CacheOptions { MemoryLimitBytes = MemoryLimitBytes, ShardCount = 2 });
    private readonly RespServer _server;
    private readonly Dictionary<int, FuzzSocket> _connections = [];
    private readonly long _bytesBefore;

    private TcpSessionRun(RespTransport transport)
    {
        _server = new RespServer(_store, new RespServerOptions { Port = 0, Transport = transport });
        _bytesBefore = _store.GetStatistics().MemoryBytes;
    }

    private IPEndPoint EndPoint => (IPEndPoint)_server.EndPoints[0];

    public static async Task<TcpSessionRun> StartAsync(RespTransport transport)
    {
        var run = new TcpSessionRun(transport);
        await run._server.StartAsync(CancellationToken.None);
        return run;
    }

    /// <returns>How many requests the server executed, at the most.</returns>
    /// <exception cref="FuzzFailureException">Something is not as it must be.</exception>
    public int Run(FuzzSession session)
    {
        int requests = 0;
        foreach (var step in session.Steps)
            requests += Take(step, session.IsUnsettling);
        foreach (int connection in _connections.Keys.ToArray())
            requests += Close(connection, session.IsUnsettling);
        if (!session.IsUnsettling)
            CheckAnswers();
        return requests;
    }

    /// <summary>What must hold when all sessions are over.</summary>
    public async Task CheckAfterwardsAsync()
    {
        await _server.StopAsync(CancellationToken.None);
        StoreChecks.RequireWhole(_store);
        _store.ClearAll();
        _store.MemoryLimitBytes = MemoryLimitBytes;
        await SweepAsync();
        StoreChecks.RequireEmpty(_store, _bytesBefore);
        StoreChecks.RequireWhole(_store);
    }

    public async ValueTask DisposeAsync()
    {
        foreach (var socket in _connections.Values)
            socket.Dispose();
        await _server.DisposeAsync();
        _store.Dispose();
    }

    private int Take(FuzzStep step, bool isUnsettled)
    {
        switch (step.Kind)
        {
            case FuzzStepKind.Send:
                if (!_connections.TryGetValue(step.Connection, out var socket))
                    _connections[step.Connection] = socket = new FuzzSocket(EndPoint);
                socket.Send(step.Bytes);
                return 0;
            case FuzzStepKind.Close:
                return Close(step.Connection, isUnsettled);
            case FuzzStepKind.Vanish when _connections.Remove(step.Connection, out var vanishing):
                using (vanishing)
                    return vanishing.Log.Check(isWhole: false, wasClosed: null, isUnsettled);
            default:
                return 0;
        }
    }

    private int Close(int connection, bool isUnsettled)
    {
        if (!_connections.Remove(connection, out var socket))
            return 0;
        using (socket)
        {
            bool isWhole = socket.ReadToEnd();
            return socket.Log.Check(isWhole, wasClosed: null, isUnsettled);
        }
    }

    // The sweep gives back pages of the index, a few each time; on a busy machine it may come later than it should.
    private async Task SweepAsync()
    {
        long start = Stopwatch.GetTimestamp();
        while (!StoreChecks.IsEmpty(_store, _bytesBefore) && Stopwatch.GetElapsedTime(start) < _patience)
            await Task.Delay(_sweepPeriods);
    }

    private void CheckAnswers()
    {
        using var socket = new FuzzSocket(EndPoint);
        socket.Send("*1\r\n$4\r\nPING\r\n"u8.ToArray());
        socket.ReadToEnd();
        socket.Log.Check(isWhole: true, wasClosed: null, isUnsettled: false);
    }
}
