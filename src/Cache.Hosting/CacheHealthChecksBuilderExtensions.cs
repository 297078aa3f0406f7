using Cache.Core;
using Cache.Durability;
using Cache.Hosting;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Registers health checks of stores.</summary>
/// <remarks>
/// A check is degraded, with the reason, while the store refuses writes because it is full, and healthy otherwise; its
/// data are the store's counters. If <c>AddCacheDurability</c> keeps the store on disk, it is unhealthy while files are
/// loaded, and degraded while they cannot be written. Not thread-safe, like all registration.
/// <example><code>
/// builder.Services.AddCache(options => options.Eviction = EvictionPolicy.None);
/// builder.Services.AddHealthChecks().AddCacheStore();
/// var app = builder.Build();
/// app.MapHealthChecks("/health");
/// </code></example>
/// </remarks>
public static class CacheHealthChecksBuilderExtensions
{
    // Long enough for probes and people to notice.
    private static readonly TimeSpan _defaultWindow = TimeSpan.FromMinutes(1);

    /// <summary>Registers the check "cache" of the container's store, degraded for a minute after a refusal.</summary>
    /// <param name="builder">The result of <c>AddHealthChecks</c>.</param>
    /// <returns>The same builder.</returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    public static IHealthChecksBuilder AddCacheStore(this IHealthChecksBuilder builder) =>
        builder.AddCacheStore(_defaultWindow);

    /// <summary>Registers the check "cache" of the container's store.</summary>
    /// <param name="builder">The result of <c>AddHealthChecks</c>.</param>
    /// <param name="window">The time after a refused write in which the store counts as degraded.</param>
    /// <returns>The same builder.</returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The window is not positive.</exception>
    public static IHealthChecksBuilder AddCacheStore(this IHealthChecksBuilder builder, TimeSpan window) =>
        Add(
            builder, "cache", window,
            static (provider, time) => new CacheHealthCheck(
                provider.GetService<CacheStore>()
                ?? throw new InvalidOperationException("There is no cache to check: AddCache registers it."),
                time, provider.GetService<CacheDurability>()));

    /// <summary>Registers the check of a keyed store, named "cache:" and its key.</summary>
    /// <param name="builder">The result of <c>AddHealthChecks</c>.</param>
    /// <param name="serviceKey">The key that <c>AddKeyedCache</c> was given.</param>
    /// <returns>The same builder.</returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    public static IHealthChecksBuilder AddCacheStore(this IHealthChecksBuilder builder, string serviceKey) =>
        builder.AddCacheStore(serviceKey, _defaultWindow);

    /// <summary>Registers the check of a keyed store, named "cache:" and its key.</summary>
    /// <param name="builder">The result of <c>AddHealthChecks</c>.</param>
    /// <param name="serviceKey">The key that <c>AddKeyedCache</c> was given.</param>
    /// <param name="window">The time after a refused write in which the store counts as degraded.</param>
    /// <returns>The same builder.</returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    /// <exception cref="ArgumentOutOfRangeException">The window is not positive.</exception>
    public static IHealthChecksBuilder AddCacheStore(
        this IHealthChecksBuilder builder, string serviceKey, TimeSpan window)
    {
        ArgumentNullException.ThrowIfNull(serviceKey);
        return Add(
            builder, $"cache:{serviceKey}", window,
            (provider, time) => new CacheHealthCheck(
                provider.GetKeyedService<CacheStore>(serviceKey) ?? throw new InvalidOperationException(
                    $"There is no cache with the key '{serviceKey}' to check: AddKeyedCache registers it."),
                time));
    }

    private static IHealthChecksBuilder Add(
        IHealthChecksBuilder builder, string name, TimeSpan window,
        Func<IServiceProvider, TimeSpan, CacheHealthCheck> create)
    {
        ArgumentNullException.ThrowIfNull(builder);
        ArgumentOutOfRangeException.ThrowIfLessThanOrEqual(window, TimeSpan.Zero);
        return builder.Add(new HealthCheckRegistration(
            name, provider => create(provider, window), failureStatus: null, tags: ["cache"]));
    }
}
