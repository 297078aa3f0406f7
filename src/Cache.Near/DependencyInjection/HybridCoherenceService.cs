using Cache.Core.Hybrid;
using Cache.Near.Hybrid;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Cache.Near.DependencyInjection;

/// <summary>Connects what keeps a hybrid cache true before the host serves; the container closes it.</summary>
internal sealed class HybridCoherenceService(IServiceProvider provider, string name) : IHostedService
{
    public async Task StartAsync(CancellationToken cancellationToken)
    {
        // The cache first: it is what the links drop values of.
        _ = name.Length == 0
            ? provider.GetRequiredService<StoreHybridCache>()
            : provider.GetRequiredKeyedService<StoreHybridCache>(name);
        var coherer = provider.GetRequiredKeyedService<HybridCoherer>(name);
        _ = provider.GetRequiredKeyedService<HybridCoherenceMetrics>(name);
        await coherer.StartAsync(cancellationToken).ConfigureAwait(false);
    }

    public Task StopAsync(CancellationToken cancellationToken)
    {
        provider.GetRequiredKeyedService<HybridCoherenceMetrics>(name).Dispose();
        return Task.CompletedTask;
    }
}
