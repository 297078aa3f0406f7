using Cache.Durability;
using Cache.Server;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Cache.Hosting;

/// <summary>
/// Starts the server before all services if it loads files, so that clients get <c>-LOADING</c> meanwhile.
/// </summary>
internal sealed class ListeningWhileLoading(IServiceProvider provider) : IHostedLifecycleService
{
    public Task StartingAsync(CancellationToken cancellationToken) =>
        provider.GetService<CacheDurability>() is not null
            ? provider.GetRequiredService<RespServer>().StartAsync(cancellationToken)
            : Task.CompletedTask;

    public Task StartAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StartedAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StoppingAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StopAsync(CancellationToken cancellationToken) => Task.CompletedTask;

    public Task StoppedAsync(CancellationToken cancellationToken) => Task.CompletedTask;
}
