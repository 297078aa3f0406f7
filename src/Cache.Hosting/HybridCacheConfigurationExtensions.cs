using Cache.Core.Hybrid;
using Cache.Hosting;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Options;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Registers hybrid caches whose options come from configuration.</summary>
/// <remarks>
/// The keys of a section are the properties of <see cref="HybridStoreOptions"/> that are no objects of the program.
/// Lengths of values are bytes or an amount such as <c>64kb</c>; intervals are a number of seconds, or
/// hours:minutes:seconds. All mistakes are reported at once when the host starts, an unknown key with the nearest
/// known one. Actions and sections are applied in the order of the calls. Options are read once, when
/// the cache is made. Not thread-safe, as all registration.
/// <example><code>
/// // appsettings.json:
/// //   "Hybrid": { "MaximumPayloadBytes": "4mb", "DefaultEntryOptions": { "Expiration": "00:10:00" } }
/// builder.Services.AddCache(builder.Configuration.GetSection("Cache"));
/// builder.Services.AddCacheHybridCache(builder.Configuration.GetSection("Hybrid"));
/// </code></example>
/// </remarks>
public static class HybridCacheConfigurationExtensions
{
    /// <summary>
    /// Registers the framework's hybrid cache over the registered store, or over one with default options.
    /// </summary>
    /// <param name="services">Where to register it.</param>
    /// <param name="section">The options.</param>
    /// <returns>The same collection.</returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    public static IServiceCollection AddCacheHybridCache(this IServiceCollection services, IConfiguration section) =>
        AddSection(services, Options.Options.DefaultName, section).AddCacheHybridCache();

    /// <summary>
    /// Registers a hybrid cache under a key, over the store with that key if there is one, else over the one without.
    /// </summary>
    /// <param name="services">Where to register it.</param>
    /// <param name="serviceKey">The key of the service, and the name of the options.</param>
    /// <param name="section">The options.</param>
    /// <returns>The same collection.</returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    public static IServiceCollection AddKeyedCacheHybridCache(
        this IServiceCollection services, string serviceKey, IConfiguration section)
    {
        ArgumentNullException.ThrowIfNull(serviceKey);
        return AddSection(services, serviceKey, section).AddKeyedCacheHybridCache(serviceKey, static _ => { });
    }

    private static IServiceCollection AddSection(IServiceCollection services, string name, IConfiguration section)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(section);
        new OptionsSection<HybridStoreOptions>(name, section, HybridStoreOptionsSection.Keys).AddTo(services);
        return services;
    }
}
