using Cache.Server.Clients;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Statistics;

namespace Cache.Server.Connections;

/// <summary>
/// Disconnects clients that exceed a time limit: they are silent, do not receive their replies, leave a request
/// unfinished, or do not authenticate. Counts the replies in the transports, and notices that the store was disposed.
/// </summary>
/// <remarks>
/// Runs once a second, so that no connection needs a timer. A client that does not receive its replies is silent too:
/// nothing is read from it meanwhile.
/// </remarks>
internal sealed class IdleSweep : IAsyncDisposable
{
    // The settings count in seconds.
    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);

    private readonly ServerState _server;
    private readonly IEnumerable<LiveConnection> _connections;
    private readonly HistorySampler _history;
    private readonly LatencyWatch _latency;
    private readonly ITimer _timer;

    /// <param name="server">The server.</param>
    /// <param name="connections">Those that live, whenever it is asked.</param>
    /// <param name="takeLongestRound">What its loops say of their rounds; null if it has none.</param>
    public IdleSweep(
        ServerState server, IEnumerable<LiveConnection> connections, Func<bool, TimeSpan>? takeLongestRound = null)
    {
        _server = server;
        _connections = connections;
        _history = new HistorySampler(server);
        _latency = new LatencyWatch(server, takeLongestRound);
        _timer = server.TimeProvider.CreateTimer(
            static self => ((IdleSweep)self!).Sweep(), this, Interval, Interval);
    }

    public ValueTask DisposeAsync() => _timer.DisposeAsync();

    private void Sweep()
    {
        if (_server.IsStoreDisposed)
        {
            _server.StoreWasDisposed?.Invoke();
            return;
        }

        _latency.Look(Interval);
        _history.Sample();
        _server.Monitors.Sweep();
        _server.Tracking.Sweep();
        _server.Waits.Sweep();
        long nowMs = _server.NowMs;
        foreach (var connection in _connections)
        {
            if (connection.Client is not { } client)
                continue;
            CountUnsent(connection, client);
            if (client.IsKilled)
                continue; // Its connection ends with its command; it was reported already.
            client.Outbox?.EnforceSoftLimit();
            if (client.IsBlocked && connection.Transport.IsPeerGone)
                client.Kill(); // Nothing is read from it that would show its end.
            if (FindLimit(connection, client, nowMs, out int seconds) is { } limit)
            {
                _server.ReportLimit(limit, client.EndPoints.Remote, seconds);
                client.Kill();
            }
        }
    }

    // And what was received of a parked client. Pending bytes count already; they are read twice, since their flush may
    // begin or end in between.
    private void CountUnsent(LiveConnection connection, ClientSession client)
    {
        long pending = client.PendingOutputBytes;
        long unsent = connection.Transport.UnsentMemoryBytes;
        long ahead = client.IsBlocked ? connection.Transport.AheadMemoryBytes : 0;
        client.CountUnsent(
            Math.Max(0, unsent - Math.Max(pending, client.PendingOutputBytes)) + ahead, _server.ClientMemory);
    }

    // While replies wait, or a command is executed, nothing is read: the client may have sent the rest of its request.
    private ConnectionLimit? FindLimit(LiveConnection connection, ClientSession client, long nowMs, out int seconds)
    {
        var settings = _server.Settings;
        long silentMs = connection.MeasureSilence(client, nowMs);

        // A client that receives a long reply slowly is not silent, as in Redis.
        long idleMs = Math.Min(silentMs, nowMs - connection.FindWhenTaken(nowMs));
        seconds = settings.OutputStallSeconds;
        if (seconds > 0 && connection.IsStalled(nowMs, seconds * 1000L))
            return ConnectionLimit.OutputTimeout;
        seconds = settings.TimeoutSeconds;
        bool mayBeSilent = client.IsMonitor || client.IsSubscriber; // As in Redis.
        if (seconds > 0 && idleMs > seconds * 1000L && !mayBeSilent)
            return ConnectionLimit.IdleTimeout;
        seconds = settings.PartialRequestSeconds;
        if (seconds > 0 && silentMs > seconds * 1000L && client is { PendingInputBytes: > 0, PendingOutputBytes: 0 })
            return ConnectionLimit.PartialRequestTimeout;
        if (seconds > 0 && connection.Transport.PartialInputAge.TotalSeconds > seconds)
            return ConnectionLimit.PartialRequestTimeout;
        seconds = settings.AuthenticationSeconds;
        bool isStranger = !client.IsAuthenticated && _server.Users.IsPasswordRequired;
        return seconds > 0 && isStranger && nowMs - client.UnauthenticatedSinceMs > seconds * 1000L
            ? ConnectionLimit.AuthenticationTimeout
            : null;
    }
}
