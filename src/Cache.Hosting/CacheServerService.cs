using System.Net;
using Cache.Server;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Cache.Hosting;

/// <summary>Starts the server with its host, and stops it with the host, drained.</summary>
internal sealed class CacheServerService(
    RespServer server, IOptions<RespServerOptions> options, ILogger<CacheServerService> logger) : IHostedService
{
    public async Task StartAsync(CancellationToken cancellationToken)
    {
        await server.StartAsync(cancellationToken).ConfigureAwait(false);
        if (!string.IsNullOrEmpty(options.Value.RequirePass))
            return;
        foreach (var endPoint in server.EndPoints)
        {
            if (endPoint is IPEndPoint ip && !IPAddress.IsLoopback(ip.Address))
                HostingLog.OpenToAll(logger, endPoint);
        }
    }

    public Task StopAsync(CancellationToken cancellationToken) => server.StopAsync(cancellationToken);
}
