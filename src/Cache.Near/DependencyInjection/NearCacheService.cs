using Microsoft.Extensions.Hosting;

namespace Cache.Near.DependencyInjection;

/// <summary>Connects the near cache before the host serves; the container closes it.</summary>
internal sealed class NearCacheService(NearCache cache, NearMetrics metrics) : IHostedService
{
    // Held, so that the instruments live as long as the cache.
    private readonly NearMetrics _metrics = metrics;

    public Task StartAsync(CancellationToken cancellationToken) => cache.StartAsync(cancellationToken);

    public Task StopAsync(CancellationToken cancellationToken)
    {
        _metrics.Dispose();
        return Task.CompletedTask;
    }
}
