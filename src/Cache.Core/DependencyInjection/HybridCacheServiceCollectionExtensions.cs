using System.Text.Json;
using Cache.Core;
using Cache.Core.DependencyInjection;
using Cache.Core.Diagnostics;
using Cache.Core.Distributed;
using Cache.Core.Hybrid;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Options;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Registers the framework's hybrid cache over a store.</summary>
/// <remarks>
/// <c>AddCacheHybridCache</c> takes the place of the framework's <c>AddHybridCache</c>. Serializers are what is
/// registered as <see cref="IHybridCacheSerializer{T}"/> or <see cref="IHybridCacheSerializerFactory"/>; options of
/// JSON are those of <see cref="HybridStoreOptions.JsonOptions"/>, else the <see cref="JsonSerializerOptions"/> that is
/// registered under the key <c>typeof(IHybridCacheSerializer&lt;&gt;)</c>. The counters are observed by
/// <see cref="CacheMetrics"/>. Not thread-safe, as all registration.
/// <example><code>
/// builder.Services.AddCache(options => options.MemoryLimitBytes = 512 &lt;&lt; 20);
/// builder.Services.AddCacheHybridCache(options => options.MaximumPayloadBytes = 4 &lt;&lt; 20);
/// </code></example>
/// </remarks>
public static class HybridCacheServiceCollectionExtensions
{
    /// <summary>Registers a hybrid cache with the default options.</summary>
    /// <inheritdoc cref="AddCacheHybridCache(IServiceCollection, Action{HybridStoreOptions})" path="/remarks"/>
    /// <param name="services">Where to register it.</param>
    /// <returns>The same collection.</returns>
    public static IServiceCollection AddCacheHybridCache(this IServiceCollection services) =>
        services.AddCacheHybridCache(static _ => { });

    /// <summary>
    /// Registers <see cref="HybridCache"/> over the registered <see cref="CacheStore"/>, or one with default options.
    /// </summary>
    /// <remarks>
    /// Options that are out of range are an <see cref="OptionsValidationException"/> at the start of the host, or else
    /// when the cache is first resolved.
    /// </remarks>
    /// <param name="services">Where to register it.</param>
    /// <param name="configure">
    /// Sets the options; called again later, the actions run in order on the same options.
    /// </param>
    /// <returns>The same collection.</returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    public static IServiceCollection AddCacheHybridCache(
        this IServiceCollection services, Action<HybridStoreOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(configure);
        services.AddCacheStore(static _ => { });
        AddOptions(services, Options.Options.DefaultName, configure);
        services.TryAddSingleton(static provider =>
            Create(provider, provider.GetRequiredService<CacheStore>(), Options.Options.DefaultName));
        return services.AddSingleton<HybridCache>(
            static provider => provider.GetRequiredService<StoreHybridCache>());
    }

    /// <summary>
    /// Registers a hybrid cache under a key, over the store with that key (see <c>AddKeyedCache</c>) if there is one,
    /// else over the one without.
    /// </summary>
    /// <inheritdoc cref="AddCacheHybridCache(IServiceCollection, Action{HybridStoreOptions})" path="/remarks"/>
    /// <param name="services">Where to register it.</param>
    /// <param name="serviceKey">The key of the service, and the name of the options.</param>
    /// <param name="configure">Sets the options.</param>
    /// <returns>The same collection.</returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    public static IServiceCollection AddKeyedCacheHybridCache(
        this IServiceCollection services, string serviceKey, Action<HybridStoreOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(serviceKey);
        ArgumentNullException.ThrowIfNull(configure);
        services.AddCacheStore(static _ => { });
        AddOptions(services, serviceKey, configure);
        services.TryAddKeyedSingleton(serviceKey, static (provider, key) =>
            Create(
                provider,
                provider.GetKeyedService<CacheStore>(key) ?? provider.GetRequiredService<CacheStore>(),
                (string)key!));
        return services.AddKeyedSingleton<HybridCache>(
            serviceKey, static (provider, key) => provider.GetRequiredKeyedService<StoreHybridCache>(key));
    }

    private static void AddOptions(IServiceCollection services, string name, Action<HybridStoreOptions> configure)
    {
        services.TryAddEnumerable(
            ServiceDescriptor.Singleton<IValidateOptions<HybridStoreOptions>, HybridStoreOptionsValidator>());
        services.AddOptions<HybridStoreOptions>(name)
            .Configure<IServiceProvider>((options, provider) => TakeServices(options, provider))
            .Configure(configure)
            .PostConfigure<IServiceProvider>((options, provider) => FindSecondLevel(options, provider))
            .ValidateOnStart();
    }

    private static StoreHybridCache Create(IServiceProvider provider, CacheStore store, string optionsName)
    {
        var cache = new StoreHybridCache(
            store, provider.GetRequiredService<IOptionsMonitor<HybridStoreOptions>>().Get(optionsName), provider);
        provider.GetRequiredService<CacheMetrics>().Observe(cache, $"{CacheMetrics.NameOf(optionsName)}.hybrid");
        return cache;
    }

    // Once, however often the options are configured.
    private static void TakeServices(HybridStoreOptions options, IServiceProvider provider)
    {
        if (options.SerializerFactories.Count > 0)
            return;
        foreach (var factory in provider.GetServices<IHybridCacheSerializerFactory>())
            options.SerializerFactories.Add(factory);
        options.JsonOptions ??=
            provider.GetKeyedService<JsonSerializerOptions>(typeof(IHybridCacheSerializer<>));
    }

    private static void FindSecondLevel(HybridStoreOptions options, IServiceProvider provider)
    {
        if (options.SecondLevel is not null)
            return;
        if (options.DistributedCacheServiceKey is { } key)
            options.SecondLevel = provider.GetRequiredKeyedService<IDistributedCache>(key);
        else if (options.UseSecondLevel)
            options.SecondLevel = LastOfOthers(provider) ?? throw NoSecondLevel();
    }

    // A store of ours in this process is no second level: it is the first.
    private static IDistributedCache? LastOfOthers(IServiceProvider provider)
    {
        IDistributedCache? last = null;
        foreach (var cache in provider.GetServices<IDistributedCache>())
        {
            if (cache is not DistributedStore)
                last = cache;
        }

        return last;
    }

    private static OptionsValidationException NoSecondLevel() => new(
        nameof(HybridStoreOptions),
        typeof(HybridStoreOptions),
        [
            $"{nameof(HybridStoreOptions)}.{nameof(HybridStoreOptions.UseSecondLevel)} is true; it needs a registered"
            + $" {nameof(IDistributedCache)} other than a store of this process.",
        ]);
}
