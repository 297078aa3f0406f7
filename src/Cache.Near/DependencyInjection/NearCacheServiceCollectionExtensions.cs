using System.Diagnostics.Metrics;
using Cache.Client;
using Cache.Near;
using Cache.Near.DependencyInjection;
using Cache.Near.Distributed;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Options;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Registers a near cache.</summary>
/// <remarks>
/// <see cref="INearCache"/>, <see cref="NearCache"/> and <see cref="IDistributedCache"/> (which is an
/// <see cref="IBufferDistributedCache"/> too) are one singleton, which connects when the host starts. Its figures are
/// the instruments of the meter "Cache.Near". Not thread-safe, as all registration.
/// <example><code>
/// builder.Services.AddCacheNear("redis-a:6379,redis-b:6379", options => options.KeyPrefixes.Add("shop:"));
/// builder.Services.AddHealthChecks().AddCacheNear();
/// </code></example>
/// </remarks>
public static class NearCacheServiceCollectionExtensions
{
    /// <summary>Registers a near cache before the servers that a line of text names.</summary>
    /// <param name="services">Where to register it.</param>
    /// <param name="servers">The servers and how to connect, as <see cref="RespClientOptions.Parse"/> reads it.</param>
    /// <param name="configure">Sets the options; the prefixes of the keys are required.</param>
    /// <returns>The same collection.</returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    /// <exception cref="FormatException">The text is wrong; the message has every mistake.</exception>
    public static IServiceCollection AddCacheNear(
        this IServiceCollection services, string servers, Action<NearCacheOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(servers);
        var parsed = RespClientOptions.Parse(servers);
        return services.AddCacheNear(options =>
        {
            options.Servers = parsed;
            configure(options);
        });
    }

    /// <summary>Registers a near cache.</summary>
    /// <remarks>
    /// Options that are wrong are an <see cref="OptionsValidationException"/> at the start of the host. The start fails
    /// too if a server refuses the password or client tracking; a server that cannot be reached is tried again.
    /// </remarks>
    /// <param name="services">Where to register it.</param>
    /// <param name="configure">Sets the options; the servers and the prefixes of the keys are required.</param>
    /// <returns>The same collection.</returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    public static IServiceCollection AddCacheNear(
        this IServiceCollection services, Action<NearCacheOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(configure);
        services.TryAddEnumerable(
            ServiceDescriptor.Singleton<IValidateOptions<NearCacheOptions>, NearCacheOptionsValidator>());
        services.AddOptions<NearCacheOptions>().Configure(configure).ValidateOnStart();
        services.TryAddSingleton(static provider =>
            new NearCache(provider.GetRequiredService<IOptions<NearCacheOptions>>().Value));
        services.TryAddSingleton<INearCache>(static provider => provider.GetRequiredService<NearCache>());
        services.TryAddSingleton(static provider => new NearMetrics(
            provider.GetRequiredService<NearCache>(), provider.GetService<IMeterFactory>()));
        services.AddHostedService<NearCacheService>();
        return services.AddSingleton<IDistributedCache>(static provider => new NearDistributedCache(
            provider.GetRequiredService<NearCache>(), provider.GetService<TimeProvider>() ?? TimeProvider.System));
    }

    /// <summary>Adds a health check that is degraded while local entries do not count.</summary>
    /// <param name="builder">The health checks.</param>
    /// <returns>The same builder.</returns>
    /// <exception cref="ArgumentNullException">The builder is null.</exception>
    public static IHealthChecksBuilder AddCacheNear(this IHealthChecksBuilder builder)
    {
        ArgumentNullException.ThrowIfNull(builder);
        return builder.Add(new Diagnostics.HealthChecks.HealthCheckRegistration(
            "cache_near",
            static provider => new NearHealthCheck(provider.GetRequiredService<NearCache>()),
            failureStatus: null,
            tags: null));
    }
}
