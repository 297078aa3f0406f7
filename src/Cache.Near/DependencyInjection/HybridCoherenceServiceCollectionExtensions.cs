using System.Diagnostics.Metrics;
using Cache.Client;
using Cache.Core.Hybrid;
using Cache.Near;
using Cache.Near.DependencyInjection;
using Cache.Near.Hybrid;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Registers what keeps hybrid caches true to their second level.</summary>
/// <remarks>
/// The second level stays the application's own, with its connections; a connection of ours to each primary has the
/// servers tell of changes. <see cref="IHybridCoherence"/> has the figures, which are instruments of the meter
/// "Cache.Near" too. Not thread-safe, as all registration.
/// <example><code>
/// builder.Services.AddStackExchangeRedisCache(o => { o.Configuration = "redis:6379"; o.InstanceName = "myapp:"; });
/// builder.Services.AddCacheHybridCache(options => options.UseSecondLevel = true);
/// builder.Services.AddCacheHybridCoherence("redis:6379", options => options.KeyPrefix = "myapp:");
/// builder.Services.AddHealthChecks().AddCacheHybridCoherence();
/// </code></example>
/// </remarks>
public static class HybridCoherenceServiceCollectionExtensions
{
    /// <summary>Keeps the hybrid cache of <c>AddCacheHybridCache</c> true to its second level.</summary>
    /// <remarks>
    /// Options that are wrong are an <see cref="OptionsValidationException"/> at the start of the host. The start fails
    /// too if a server refuses the password or client tracking, or does not tell of what the second level writes; a
    /// server that cannot be reached is tried again.
    /// </remarks>
    /// <param name="services">Where to register it.</param>
    /// <param name="servers">The servers and how to connect, as <see cref="RespClientOptions.Parse"/> reads it.</param>
    /// <param name="configure">Sets the options; the prefix of the keys is required.</param>
    /// <returns>The same collection.</returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    /// <exception cref="FormatException">The text is wrong; the message has every mistake.</exception>
    public static IServiceCollection AddCacheHybridCoherence(
        this IServiceCollection services, string servers, Action<HybridCoherenceOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(services);
        Add(services, Options.Options.DefaultName, servers, configure);
        services.TryAddSingleton<IHybridCoherence>(static provider =>
            provider.GetRequiredKeyedService<HybridCoherer>(Options.Options.DefaultName));
        return services;
    }

    /// <summary>Keeps the hybrid cache of <c>AddKeyedCacheHybridCache</c> true to its second level.</summary>
    /// <inheritdoc cref="AddCacheHybridCoherence(IServiceCollection, string, Action{HybridCoherenceOptions})"
    /// path="/remarks"/>
    /// <param name="services">Where to register it.</param>
    /// <param name="serviceKey">The key of the cache, and the name of the options.</param>
    /// <param name="servers">The servers and how to connect, as <see cref="RespClientOptions.Parse"/> reads it.</param>
    /// <param name="configure">Sets the options; the prefix of the keys is required.</param>
    /// <returns>The same collection.</returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    /// <exception cref="FormatException">The text is wrong; the message has every mistake.</exception>
    public static IServiceCollection AddKeyedCacheHybridCoherence(
        this IServiceCollection services,
        string serviceKey,
        string servers,
        Action<HybridCoherenceOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(serviceKey);
        Add(services, serviceKey, servers, configure);
        services.TryAddKeyedSingleton<IHybridCoherence>(
            serviceKey, static (provider, key) => provider.GetRequiredKeyedService<HybridCoherer>(key));
        return services;
    }

    /// <summary>Adds a health check that is degraded while values in this process do not count.</summary>
    /// <param name="builder">The health checks.</param>
    /// <param name="serviceKey">The key of the hybrid cache; null: the one without.</param>
    /// <returns>The same builder.</returns>
    /// <exception cref="ArgumentNullException">The builder is null.</exception>
    public static IHealthChecksBuilder AddCacheHybridCoherence(
        this IHealthChecksBuilder builder, string? serviceKey = null)
    {
        ArgumentNullException.ThrowIfNull(builder);
        string name = serviceKey ?? Options.Options.DefaultName;
        return builder.Add(new Diagnostics.HealthChecks.HealthCheckRegistration(
            name.Length == 0 ? "cache_hybrid_coherence" : $"cache_hybrid_coherence_{name}",
            provider => new HybridHealthCheck(provider.GetRequiredKeyedService<HybridCoherer>(name)),
            failureStatus: null,
            tags: null));
    }

    private static void Add(
        IServiceCollection services, string name, string servers, Action<HybridCoherenceOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(servers);
        ArgumentNullException.ThrowIfNull(configure);
        var parsed = RespClientOptions.Parse(servers);
        services.TryAddEnumerable(
            ServiceDescriptor.Singleton<IValidateOptions<HybridCoherenceOptions>, HybridCoherenceOptionsValidator>());
        services.AddOptions<HybridCoherenceOptions>(name)
            .Configure(options => options.Servers = parsed)
            .Configure(configure)
            .ValidateOnStart();
        services.AddOptions<HybridStoreOptions>(name).Configure<IServiceProvider>((options, provider) =>
            options.Coherence = provider.GetRequiredKeyedService<HybridCoherer>(name));
        if (services.Any(service => service.ServiceType == typeof(HybridCoherer) && name.Equals(service.ServiceKey)))
            return;
        services.AddKeyedSingleton(name, static (provider, key) => new HybridCoherer(
            provider.GetRequiredService<IOptionsMonitor<HybridCoherenceOptions>>().Get((string)key!)));
        services.AddKeyedSingleton(name, static (provider, key) => new HybridCoherenceMetrics(
            provider.GetRequiredKeyedService<HybridCoherer>(key),
            $"{(key is "" ? "default" : key)}.hybrid",
            provider.GetService<IMeterFactory>()));
        services.AddSingleton<IHostedService>(provider => new HybridCoherenceService(provider, name));
    }
}
