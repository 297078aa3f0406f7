using Cache.Server.Commands;
using Cache.Server.Diagnostics;
using Microsoft.Extensions.Logging;

namespace Cache.Server.Connections;

/// <summary>Disconnects clients that were silent for longer than the setting allows, looking once a second.</summary>
/// <remarks>A client that takes no replies is silent too: nothing is read from it meanwhile.</remarks>
internal sealed class IdleSweep : IAsyncDisposable
{
    // The setting counts in seconds.
    private static readonly TimeSpan Interval = TimeSpan.FromSeconds(1);

    private readonly ServerState _server;
    private readonly ILogger _logger;
    private readonly ITimer _timer;

    public IdleSweep(ServerState server, ILogger logger)
    {
        _server = server;
        _logger = logger;
        _timer = server.TimeProvider.CreateTimer(
            static self => ((IdleSweep)self!).Sweep(), this, Interval, Interval);
    }

    public ValueTask DisposeAsync() => _timer.DisposeAsync();

    private void Sweep()
    {
        int timeoutSeconds = _server.Settings.TimeoutSeconds;
        if (timeoutSeconds == 0)
            return;

        long nowMs = _server.NowMs;
        foreach (var client in _server.Clients.ToList())
        {
            if (nowMs - client.LastInteractionMs <= timeoutSeconds * 1000L)
                continue;
            ServerLog.IdleDisconnected(_logger, client.Id);
            client.Kill();
        }
    }
}
