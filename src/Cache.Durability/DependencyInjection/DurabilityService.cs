using Cache.Durability.Control;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Cache.Durability.DependencyInjection;

/// <summary>Loads the files before the services of the host start, and closes them after all have stopped.</summary>
/// <remarks>A host makes its services before it validates options; so the files' object is made later.</remarks>
internal sealed class DurabilityService(IServiceProvider provider) : IHostedLifecycleService
{
    private CacheDurability? _durability;

    public Task StartingAsync(CancellationToken cancellationToken)
    {
        _durability = provider.GetRequiredService<CacheDurability>();
        provider.GetRequiredService<DurabilityMetrics>();
        return _durability.StartAsync(cancellationToken);
    }

    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StartedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StoppingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StoppedAsync(CancellationToken cancellationToken) =>
        _durability?.StopAsync(cancellationToken) ?? Task.CompletedTask;
}
