using Cache.Core;
using Cache.Dashboard;
using Cache.Server;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Microsoft.AspNetCore.Builder;

/// <summary>Maps the page about the cache of an application, and its metrics.</summary>
/// <remarks>
/// Both show the <see cref="RespServer"/> of the container, or its <see cref="CacheStore"/> if it has no server.
/// Without authorization, only requests of this machine are answered: a policy, or <c>AllowAnonymous</c>, opens them to
/// others. Not thread-safe, like all mapping.
/// <example><code>
/// app.MapCacheDashboard("/cache").RequireAuthorization("ops");
/// app.MapCacheMetrics("/metrics").AllowAnonymous();
/// </code></example>
/// </remarks>
public static class CacheDashboardEndpointRouteBuilderExtensions
{
    private static readonly string[] _readMethods = [HttpMethods.Get, HttpMethods.Head];

    /// <summary>Maps the dashboard with the default options.</summary>
    /// <param name="endpoints">Where to map it.</param>
    /// <param name="pattern">Its path, such as "/cache".</param>
    /// <returns>The conventions of all of its endpoints, for authorization.</returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    /// <exception cref="InvalidOperationException">The container has no server and no store.</exception>
    public static IEndpointConventionBuilder MapCacheDashboard(this IEndpointRouteBuilder endpoints, string pattern) =>
        endpoints.MapCacheDashboard(pattern, static _ => { });

    /// <summary>Maps the dashboard.</summary>
    /// <param name="endpoints">Where to map it.</param>
    /// <param name="pattern">Its path, such as "/cache".</param>
    /// <param name="configure">Sets the options.</param>
    /// <returns>The conventions of all of its endpoints, for authorization.</returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    /// <exception cref="InvalidOperationException">The container has no server and no store.</exception>
    public static IEndpointConventionBuilder MapCacheDashboard(
        this IEndpointRouteBuilder endpoints, string pattern, Action<CacheDashboardOptions> configure)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentNullException.ThrowIfNull(pattern);
        ArgumentNullException.ThrowIfNull(configure);
        var options = new CacheDashboardOptions();
        configure(options);
        var server = FindServer(endpoints.ServiceProvider);
        var dashboard = new DashboardEndpoints(server.State, options);
        if (endpoints.ServiceProvider.GetService<IHostApplicationLifetime>() is { } lifetime)
            lifetime.ApplicationStopping.Register(dashboard.Dispose);
        return dashboard.Map(endpoints.MapGroup(pattern.TrimEnd('/')));
    }

    /// <summary>Maps the metrics in Prometheus's text format, under the names of redis_exporter.</summary>
    /// <param name="endpoints">Where to map them.</param>
    /// <param name="pattern">Their path, such as "/metrics".</param>
    /// <returns>The conventions of the endpoint, for authorization.</returns>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    /// <exception cref="InvalidOperationException">The container has no server and no store.</exception>
    public static IEndpointConventionBuilder MapCacheMetrics(this IEndpointRouteBuilder endpoints, string pattern)
    {
        ArgumentNullException.ThrowIfNull(endpoints);
        ArgumentNullException.ThrowIfNull(pattern);
        var metrics = new MetricsEndpoint(FindServer(endpoints.ServiceProvider).State);
        return endpoints.MapMethods(pattern, _readMethods, LocalRequests.Guard(metrics.WriteAsync))
            .WithMetadata(LocalRequests.NeverCached);
    }

    // A server that was never started has all counters, at 0, over the store of an application without clients.
    private static RespServer FindServer(IServiceProvider services) =>
        services.GetService<RespServer>()
        ?? (services.GetService<CacheStore>() is { } store
            ? new RespServer(store, new RespServerOptions())
            : throw new InvalidOperationException(
                "There is no cache to show: call builder.Services.AddCache() or AddCacheServer() first."));
}
