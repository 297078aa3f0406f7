using Cache.AspNetCore;
using Cache.Core;
using Microsoft.AspNetCore.OutputCaching;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Lets ASP.NET Core's output cache keep its responses in a store.</summary>
/// <remarks>
/// Policies, attributes and <c>UseOutputCache</c> are the framework's own and stay the same. The bytes are in the
/// store: outside the managed heap, under the store's limit (the framework's <see cref="OutputCacheOptions.SizeLimit"/>
/// has no effect), and evicted by the store's policy. Evicting a tag takes the same time for any number of responses.
/// The keys begin with <c>output:</c>. Not thread-safe, like all registration.
/// <example><code>
/// builder.Services.AddCache(options => options.MemoryLimitBytes = 512 &lt;&lt; 20);
/// builder.Services.AddCacheOutputCache();                    // instead of AddOutputCache()
/// var app = builder.Build();
/// app.UseOutputCache();
/// app.MapGet("/products", ListProducts).CacheOutput(policy => policy.Tag("products"));
/// app.MapPost("/products", async (IOutputCacheStore cache, CancellationToken token) =>
///     await cache.EvictByTagAsync("products", token));
/// </code></example>
/// </remarks>
public static class CacheOutputCacheServiceCollectionExtensions
{
    /// <summary>Registers the output cache over the container's store.</summary>
    /// <param name="services">Where to register it; a store without options is registered if there is none.</param>
    /// <returns>The same collection.</returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    public static IServiceCollection AddCacheOutputCache(this IServiceCollection services) =>
        services.AddCacheOutputCache(static _ => { });

    /// <summary>Registers the output cache over the container's store.</summary>
    /// <param name="services">Where to register it; a store without options is registered if there is none.</param>
    /// <param name="configure">Sets the framework's options: policies, and the longest body that is cached.</param>
    /// <returns>The same collection.</returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    public static IServiceCollection AddCacheOutputCache(
        this IServiceCollection services, Action<OutputCacheOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(configure);
        services.AddCacheStore(static _ => { });
        services.AddOutputCache(configure);
        return services.AddSingleton<IOutputCacheStore>(
            static provider => new StoreOutputCache(provider.GetRequiredService<CacheStore>()));
    }

    /// <summary>
    /// Registers the output cache over a store of its own, so that pages and data do not crowd each other.
    /// </summary>
    /// <param name="services">Where to register it; <c>AddKeyedCache</c> registers the store.</param>
    /// <param name="serviceKey">The key of the store.</param>
    /// <param name="configure">Sets the framework's options: policies, and the longest body that is cached.</param>
    /// <returns>The same collection.</returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    public static IServiceCollection AddCacheOutputCache(
        this IServiceCollection services, string serviceKey, Action<OutputCacheOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(serviceKey);
        ArgumentNullException.ThrowIfNull(configure);
        services.AddOutputCache(configure);
        return services.AddSingleton<IOutputCacheStore>(
            provider => new StoreOutputCache(
                provider.GetKeyedService<CacheStore>(serviceKey) ?? throw new InvalidOperationException(
                    $"There is no cache with the key '{serviceKey}' for pages: AddKeyedCache registers it.")));
    }
}
