using Cache.Server;
using Microsoft.Extensions.Hosting;

namespace Cache.Hosting;

/// <summary>Starts the server with its host, and stops it with the host, by then done with what it had received.</summary>
internal sealed class CacheServerService(RespServer server) : IHostedService
{
    public Task StartAsync(CancellationToken cancellationToken) => server.StartAsync(cancellationToken);

    public Task StopAsync(CancellationToken cancellationToken) => server.StopAsync(cancellationToken);
}
