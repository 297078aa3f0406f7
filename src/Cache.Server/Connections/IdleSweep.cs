using Cache.Server.Commands;
using Cache.Server.Diagnostics;
using Microsoft.Extensions.Logging;

namespace Cache.Server.Connections;

/// <summary>
/// Disconnects clients that were silent for longer than the setting allows, and those that let their replies lie.
/// </summary>
/// <remarks>
/// Looks once a second, so that no connection needs a timer. A client that takes no replies is silent too: nothing is
/// read from it meanwhile.
/// </remarks>
internal sealed class IdleSweep : IAsyncDisposable
{
    // The settings count in seconds.
    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);

    private readonly ServerState _server;
    private readonly IEnumerable<LiveConnection> _connections;
    private readonly ILogger _logger;
    private readonly ITimer _timer;

    public IdleSweep(ServerState server, IEnumerable<LiveConnection> connections, ILogger logger)
    {
        _server = server;
        _connections = connections;
        _logger = logger;
        _timer = server.TimeProvider.CreateTimer(
            static self => ((IdleSweep)self!).Sweep(), this, Interval, Interval);
    }

    public ValueTask DisposeAsync() => _timer.DisposeAsync();

    private void Sweep()
    {
        long idleMs = _server.Settings.TimeoutSeconds * 1000L;
        long stallMs = _server.Settings.OutputStallSeconds * 1000L;
        if (idleMs == 0 && stallMs == 0)
            return;

        long nowMs = _server.NowMs;
        foreach (var connection in _connections)
        {
            if (connection.Client is not { } client)
                continue;
            if (idleMs > 0 && nowMs - client.LastInteractionMs > idleMs)
            {
                ServerLog.IdleDisconnected(_logger, client.Id);
                client.Kill();
            }
            else if (stallMs > 0 && connection.IsStalled(nowMs, stallMs))
            {
                ServerLog.StalledDisconnected(_logger, client.Id, client.PendingOutputBytes);
                client.Kill();
            }
        }
    }
}
