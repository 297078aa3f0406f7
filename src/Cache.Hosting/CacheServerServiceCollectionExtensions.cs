using System.Diagnostics.Metrics;
using Cache.Core;
using Cache.Durability;
using Cache.Hosting;
using Cache.Server;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.DependencyInjection.Extensions;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Microsoft.Extensions.DependencyInjection;

/// <summary>Registers a Redis-protocol server that runs as long as its host.</summary>
/// <remarks>
/// The server serves the <see cref="CacheStore"/> of the container, which <c>AddCache</c> or <c>AddCacheStore</c>
/// configures, so that the application and the server's clients see the same entries. The host starts it before it
/// reports itself started, and a start fails with a message that names the error: options out of range are an
/// <see cref="OptionsValidationException"/>, a port in use is an exception of <see cref="RespServer.StartAsync"/>. If
/// <c>AddCacheDurability</c> keeps the store on disk, the server listens before the files are loaded, and answers
/// <c>-LOADING</c> meanwhile. When the host stops, the server answers the requests that it has received, then closes.
/// The one <see cref="RespServer"/> can be resolved, for example for its end points. Not thread-safe, like all
/// registration.
/// <example><code>
/// builder.Services.AddCache(options => options.MemoryLimitBytes = 512 &lt;&lt; 20);
/// builder.Services.AddCacheServer(options => options.Port = 6379);
/// </code></example>
/// </remarks>
public static class CacheServerServiceCollectionExtensions
{
    /// <summary>Registers a server with the default options.</summary>
    /// <param name="services">Where to register it.</param>
    /// <returns>The same collection.</returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    public static IServiceCollection AddCacheServer(this IServiceCollection services) =>
        services.AddCacheServer(static _ => { });

    /// <summary>Registers a server.</summary>
    /// <param name="services">Where to register it.</param>
    /// <param name="configure">Sets the options; several actions run in the order of their registration.</param>
    /// <returns>The same collection.</returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    public static IServiceCollection AddCacheServer(
        this IServiceCollection services, Action<RespServerOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(configure);
        services.AddCacheStore(static _ => { });
        services.TryAddEnumerable(
            ServiceDescriptor.Singleton<IValidateOptions<RespServerOptions>, RespServerOptionsValidator>());
        services.AddOptions<RespServerOptions>().Configure(configure).ValidateOnStart();
        services.TryAddSingleton(CreateServer);
        services.TryAddSingleton(CreateMetrics);
        services.TryAddSingleton(static provider => provider.GetRequiredService<RespServer>().PubSub);
        AddListening(services);
        services.AddHostedService<CacheServerService>();
        return AddSystemd(
            services, SystemdNotifier.Find(Environment.GetEnvironmentVariable, Environment.ProcessId));
    }

    private static RespServer CreateServer(IServiceProvider provider)
    {
        var options = provider.GetRequiredService<IOptions<RespServerOptions>>().Value;
        options.Durability ??= provider.GetService<CacheDurability>();
        return new RespServer(
            provider.GetRequiredService<CacheStore>(), options, provider.GetService<ILoggerFactory>());
    }

    private static RespServerMetrics CreateMetrics(IServiceProvider provider)
    {
        var server = provider.GetRequiredService<RespServer>();
        return provider.GetService<IMeterFactory>() is { } meterFactory
            ? new RespServerMetrics(server, meterFactory)
            : new RespServerMetrics(server);
    }

    // First of all services, so that clients get an answer while files are loaded.
    private static void AddListening(IServiceCollection services)
    {
        if (!services.Any(static one => one.ImplementationType == typeof(ListeningWhileLoading)))
            services.Insert(0, ServiceDescriptor.Singleton<IHostedService, ListeningWhileLoading>());
    }

    /// <summary>Lets the host report its state to systemd, if systemd expects that.</summary>
    internal static IServiceCollection AddSystemd(IServiceCollection services, SystemdNotifier? notifier)
    {
        if (notifier is null)
            return services;
        services.TryAddSingleton(notifier);
        services.TryAddEnumerable(ServiceDescriptor.Singleton<IHostedService, SystemdService>(
            static provider => new SystemdService(
                provider.GetRequiredService<SystemdNotifier>(),
                provider.GetService<TimeProvider>() ?? TimeProvider.System)));
        return services;
    }

    /// <summary>Registers a server whose options come from configuration.</summary>
    /// <param name="services">Where to register it.</param>
    /// <param name="section">
    /// Keys are the properties of <see cref="RespServerOptions"/>; an unknown one is an error that names the nearest.
    /// Intervals are seconds or hours:minutes:seconds, limits of buffers are bytes or an amount such as 64mb, the
    /// socket's mode is octal, addresses are a list or one text with spaces between them.
    /// </param>
    /// <returns>The same collection.</returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    public static IServiceCollection AddCacheServer(this IServiceCollection services, IConfiguration section)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(section);
        var options = new OptionsSection<RespServerOptions>(
            Options.Options.DefaultName, section, RespServerOptionsSection.Keys);
        options.AddTo(services);
        services.PostConfigure<RespServerOptions>(one => one.MessageWords ??= options.Translate);
        return services.AddCacheServer();
    }

    /// <summary>Registers a server over a store that exists already; the container does not dispose it.</summary>
    /// <param name="services">Where to register it.</param>
    /// <param name="store">The store.</param>
    /// <param name="configure">Sets the options.</param>
    /// <returns>The same collection.</returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    public static IServiceCollection AddCacheServer(
        this IServiceCollection services, CacheStore store, Action<RespServerOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(services);
        ArgumentNullException.ThrowIfNull(store);
        return services.AddSingleton(store).AddCacheServer(configure);
    }
}
