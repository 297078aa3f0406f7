using System.Diagnostics.Metrics;
using Cache.Core;
using Cache.Core.DependencyInjection;
using Cache.Core.Diagnostics;
using Cache.Core.Distributed;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Options;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Registers a store, and the framework's distributed cache over it.</summary>
/// <remarks>
/// <c>AddCache</c> registers <see cref="CacheStore"/> and <see cref="IDistributedCache"/> (which is an
/// <see cref="IBufferDistributedCache"/> too) as singletons; of several distributed caches the last one registered is
/// the one that is resolved, as the container has it. The store's counters are observed by <see cref="CacheMetrics"/>.
/// Not thread-safe, as all registration.
/// <example><code>
/// builder.Services.AddCache(options => options.MemoryLimitBytes = 512 &lt;&lt; 20);
/// builder.Services.AddKeyedCache("pages", options => options.MemoryLimitBytes = 64 &lt;&lt; 20);
/// </code></example>
/// </remarks>
public static class CacheServiceCollectionExtensions
{
    /// <summary>Registers a store with the default options.</summary>
    /// <inheritdoc cref="AddCache(IServiceCollection, Action{CacheOptions})" path="/remarks"/>
    /// <param name="services">Where to register it.</param>
    /// <returns>The same collection.</returns>
    public static IServiceCollection AddCache(this IServiceCollection services) => services.AddCache(static _ => { });

    /// <summary>Registers a store that the container makes when it is first needed, and disposes.</summary>
    /// <remarks>
    /// The store runs on the container's <see cref="TimeProvider"/> if one is registered, else on the machine's clock.
    /// Options that are out of range are an <see cref="OptionsValidationException"/> at the start of the host, or else
    /// when the store is first resolved; its message names each option, its value and the range.
    /// </remarks>
    /// <param name="services">Where to register it.</param>
    /// <param name="configure">
    /// Sets the options; called again later, the actions run in order on the same options.
    /// </param>
    /// <returns>The same collection.</returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    public static IServiceCollection AddCache(this IServiceCollection services, Action<CacheOptions> configure)
    {
        services.AddCacheStore(configure);
        return services.AddDistributedCache();
    }

    /// <summary>Registers a store without a distributed cache over it.</summary>
    /// <inheritdoc cref="AddCache(IServiceCollection, Action{CacheOptions})" path="/remarks"/>
    /// <param name="services">Where to register it; a store that is registered already stays.</param>
    /// <param name="configure">Sets the options.</param>
    /// <returns>The same collection.</returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    public static IServiceCollection AddCacheStore(this IServiceCollection services, Action<CacheOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(configure);
        AddOptions(services, Options.Options.DefaultName, configure);
        services.TryAddSingleton(static provider => CreateStore(provider, Options.Options.DefaultName));
        return services;
    }

    /// <summary>
    /// Registers a store that exists already, so that several users share it; the container does not dispose it.
    /// </summary>
    /// <param name="services">Where to register it.</param>
    /// <param name="store">The store, or a view of one of its keyspaces.</param>
    /// <returns>The same collection.</returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    public static IServiceCollection AddCache(this IServiceCollection services, CacheStore store)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(store);
        services.AddSingleton(store);
        services.TryAddSingleton(CreateMetrics);
        return services.AddDistributedCache();
    }

    /// <summary>Registers one more store and its distributed cache under a key, apart from all others.</summary>
    /// <inheritdoc cref="AddCache(IServiceCollection, Action{CacheOptions})" path="/remarks"/>
    /// <param name="services">Where to register it.</param>
    /// <param name="serviceKey">The key of both services, and the name of the options.</param>
    /// <param name="configure">Sets the options.</param>
    /// <returns>The same collection.</returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    public static IServiceCollection AddKeyedCache(
        this IServiceCollection services, string serviceKey, Action<CacheOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(serviceKey);
        ArgumentNullException.ThrowIfNull(configure);
        AddOptions(services, serviceKey, configure);
        services.TryAddKeyedSingleton(serviceKey, static (provider, key) => CreateStore(provider, (string)key!));
        return services.AddKeyedSingleton<IDistributedCache>(
            serviceKey,
            static (provider, key) => new DistributedStore(provider.GetRequiredKeyedService<CacheStore>(key)));
    }

    private static IServiceCollection AddDistributedCache(this IServiceCollection services) =>
        services.AddSingleton<IDistributedCache>(
            static provider => new DistributedStore(
                Observed(provider, provider.GetRequiredService<CacheStore>(), Options.Options.DefaultName)));

    private static void AddOptions(IServiceCollection services, string name, Action<CacheOptions> configure)
    {
        services.TryAddEnumerable(
            ServiceDescriptor.Singleton<IValidateOptions<CacheOptions>, CacheOptionsValidator>());
        services.AddOptions<CacheOptions>(name).Configure(configure).ValidateOnStart();
        services.TryAddSingleton(CreateMetrics);
    }

    private static CacheStore CreateStore(IServiceProvider provider, string optionsName)
    {
        var store = new CacheStore(
            provider.GetRequiredService<IOptionsMonitor<CacheOptions>>().Get(optionsName),
            provider.GetService<TimeProvider>() ?? TimeProvider.System);
        return Observed(provider, store, optionsName);
    }

    private static CacheStore Observed(IServiceProvider provider, CacheStore store, string optionsName)
    {
        provider.GetRequiredService<CacheMetrics>().Observe(store, CacheMetrics.NameOf(optionsName));
        return store;
    }

    private static CacheMetrics CreateMetrics(IServiceProvider provider) =>
        provider.GetService<IMeterFactory>() is { } meterFactory ? new CacheMetrics(meterFactory) : new CacheMetrics();
}
