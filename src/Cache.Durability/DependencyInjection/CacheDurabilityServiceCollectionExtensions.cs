using System.Diagnostics.Metrics;
using Cache.Core;
using Cache.Durability;
using Cache.Durability.Control;
using Cache.Durability.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Registers the files that keep a store's entries.</summary>
/// <remarks>
/// The files are loaded before the host starts any of its services, whatever the order of registration, and closed
/// after it has stopped all of them. A start fails with a message that names the error: options out of range are an
/// <see cref="OptionsValidationException"/>, files that are refused an <see cref="IOException"/>. The one
/// <see cref="CacheDurability"/> can be resolved. Not thread-safe, like all registration.
/// <example><code>
/// builder.Services.AddCache(options => options.MemoryLimitBytes = 512 &lt;&lt; 20);
/// builder.Services.AddCacheDurability(options => options.Directory = "/var/lib/app/cache");
/// </code></example>
/// </remarks>
public static class CacheDurabilityServiceCollectionExtensions
{
    /// <summary>Keeps the entries of the container's <see cref="CacheStore"/>.</summary>
    /// <param name="services">Where to register it.</param>
    /// <param name="configure">Sets the options; several actions run in the order of their registration.</param>
    /// <returns>The same collection.</returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    public static IServiceCollection AddCacheDurability(
        this IServiceCollection services, Action<DurabilityOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(configure);
        services.TryAddEnumerable(
            ServiceDescriptor.Singleton<IValidateOptions<DurabilityOptions>, DurabilityOptionsValidator>());
        services.AddOptions<DurabilityOptions>().Configure(configure).ValidateOnStart();
        services.TryAddSingleton(static provider => new CacheDurability(
            provider.GetRequiredService<CacheStore>(),
            provider.GetRequiredService<IOptions<DurabilityOptions>>().Value,
            provider.GetService<ILoggerFactory>()));
        services.TryAddSingleton(CreateMetrics);
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IHostedService, DurabilityService>());
        return services;
    }

    private static DurabilityMetrics CreateMetrics(IServiceProvider provider)
    {
        var meter = provider.GetService<IMeterFactory>()?.Create(CacheDurability.MeterName)
            ?? new Meter(CacheDurability.MeterName);
        return new DurabilityMetrics(meter, provider.GetRequiredService<CacheDurability>().GetStatus);
    }
}
