using Cache.Core;
using Cache.Hosting;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Options;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Registers stores whose options come from configuration.</summary>
/// <remarks>
/// The keys of a section are the properties of <see cref="CacheOptions"/>. Memory is bytes, an amount such as
/// <c>512mb</c>, or such as <c>25%</c> of the memory that the process may use: of its container where there is one,
/// else of the machine. All mistakes are reported at once when the host starts, an unknown key with the
/// nearest known one. Options are read once, when a store is made. Not thread-safe, as all registration.
/// <example><code>
/// // appsettings.json:
/// //   "Cache": { "MemoryLimitBytes": "25%" },
/// //   "Pages": { "MemoryLimitBytes": "512mb", "Eviction": "ExpiringEntries" }
/// builder.Services.AddCache(builder.Configuration.GetSection("Cache"));
/// builder.Services.AddKeyedCache("pages", builder.Configuration.GetSection("Pages"));
/// </code></example>
/// </remarks>
public static class CacheConfigurationExtensions
{
    /// <summary>Registers a store, and the framework's distributed cache over it.</summary>
    /// <param name="services">Where to register it.</param>
    /// <param name="section">The options.</param>
    /// <returns>The same collection.</returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    public static IServiceCollection AddCache(this IServiceCollection services, IConfiguration section) =>
        AddSection(services, Options.Options.DefaultName, section).AddCache();

    /// <summary>Registers a store without a distributed cache over it.</summary>
    /// <param name="services">Where to register it; a store that is registered already stays.</param>
    /// <param name="section">The options.</param>
    /// <returns>The same collection.</returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    public static IServiceCollection AddCacheStore(this IServiceCollection services, IConfiguration section) =>
        AddSection(services, Options.Options.DefaultName, section).AddCacheStore(static _ => { });

    /// <summary>Registers one more store and its distributed cache under a key, apart from all others.</summary>
    /// <param name="services">Where to register it.</param>
    /// <param name="serviceKey">The key of both services, and the name of the options.</param>
    /// <param name="section">The options.</param>
    /// <returns>The same collection.</returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    public static IServiceCollection AddKeyedCache(
        this IServiceCollection services, string serviceKey, IConfiguration section)
    {
        ArgumentNullException.ThrowIfNull(serviceKey);
        return AddSection(services, serviceKey, section).AddKeyedCache(serviceKey, static _ => { });
    }

    private static IServiceCollection AddSection(IServiceCollection services, string name, IConfiguration section)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(section);
        new OptionsSection<CacheOptions>(name, section, CacheOptionsSection.Keys).AddTo(services);
        return services;
    }
}
