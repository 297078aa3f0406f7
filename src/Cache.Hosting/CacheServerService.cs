using System.Net;
using Cache.Core;
using Cache.Server;
using Cache.Server.Settings;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Cache.Hosting;

/// <summary>Starts the server with its host, and stops it with the host, drained.</summary>
/// <remarks>
/// A host creates its services before it validates options. The server is created later, at the start: otherwise the
/// first wrong option would throw by itself, and hide all others.
/// </remarks>
internal sealed class CacheServerService(
    IServiceProvider provider, IOptions<RespServerOptions> options, ILogger<CacheServerService> logger) : IHostedService
{
    // The process needs memory beyond the store, above all for its clients' requests and replies.
    private const int MemoryPercentMax = 85;

    private RespServer? _server;

    public async Task StartAsync(CancellationToken cancellationToken)
    {
        var server = _server = provider.GetRequiredService<RespServer>();
        if (!server.WasStarted) // It listens already if it loads files.
            await server.StartAsync(cancellationToken).ConfigureAwait(false);
        provider.GetRequiredService<RespServerMetrics>(); // It observes from its creation.
        long limit = provider.GetRequiredService<CacheStore>().MemoryLimitBytes;
        long available = CacheOptions.AvailableMemoryBytes;
        if (limit > available / 100 * MemoryPercentMax)
            HostingLog.LimitLeavesTooLittle(logger, MemorySize.Format(limit), MemorySize.Format(available));
        if (!server.NeedsNoPassword)
            return;
        foreach (var endPoint in server.EndPoints)
        {
            if (endPoint is not IPEndPoint ip || IPAddress.IsLoopback(ip.Address))
                continue;
            if (options.Value.ProtectedMode)
                HostingLog.ClosedToOthers(logger, endPoint);
            else
                HostingLog.OpenToAll(logger, endPoint);
        }
    }

    public Task StopAsync(CancellationToken cancellationToken) =>
        _server?.StopAsync(cancellationToken) ?? Task.CompletedTask;
}
