using System.Net;
using Cache.Server;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Cache.Hosting;

/// <summary>Starts the server with its host, and stops it with the host, drained.</summary>
/// <remarks>
/// A host makes its services before it validates options. The server is made later, when it is started: otherwise the
/// first wrong option would be an exception of its own, and hide all others.
/// </remarks>
internal sealed class CacheServerService(
    IServiceProvider provider, IOptions<RespServerOptions> options, ILogger<CacheServerService> logger) : IHostedService
{
    private RespServer? _server;

    public async Task StartAsync(CancellationToken cancellationToken)
    {
        var server = _server = provider.GetRequiredService<RespServer>();
        await server.StartAsync(cancellationToken).ConfigureAwait(false);
        if (!string.IsNullOrEmpty(options.Value.RequirePass))
            return;
        foreach (var endPoint in server.EndPoints)
        {
            if (endPoint is IPEndPoint ip && !IPAddress.IsLoopback(ip.Address))
                HostingLog.OpenToAll(logger, endPoint);
        }
    }

    public Task StopAsync(CancellationToken cancellationToken) =>
        _server?.StopAsync(cancellationToken) ?? Task.CompletedTask;
}
