using System.Net;
using Cache.Core;
using Cache.Dashboard;
using Cache.Server;
using Cache.Testing;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.TestHost;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Cache.Dashboard.Tests;

/// <summary>An application with a dashboard, whose requests come from where a test says.</summary>
internal sealed class DashboardApplication : IAsyncDisposable
{
    private readonly WebApplication _application;

    private DashboardApplication(WebApplication application, CacheStore store, InMemoryServer server)
    {
        _application = application;
        Store = store;
        Server = server;
    }

    public CacheStore Store { get; }

    public InMemoryServer Server { get; }

    /// <param name="map">Maps it; null: the dashboard under /cache, the metrics under /metrics.</param>
    /// <param name="services">Registers what the mapping needs.</param>
    /// <param name="time">The clock; null for the machine's.</param>
    public static async Task<DashboardApplication> StartAsync(
        Action<WebApplication>? map = null, Action<IServiceCollection>? services = null, TimeProvider? time = null)
    {
        var options = new CacheOptions { MemoryLimitBytes = CacheOptions.MemoryLimitMin };
        var store = time is null ? new CacheStore(options) : new CacheStore(options, time);
        var server = await InMemoryServer.StartAsync(store);
        var builder = WebApplication.CreateSlimBuilder();
        builder.WebHost.UseTestServer();
        builder.Logging.ClearProviders();
        builder.Services.AddSingleton(server.Server);
        services?.Invoke(builder.Services);
        var application = builder.Build();
        if (map is null)
        {
            application.MapCacheDashboard("/cache");
            application.MapCacheMetrics("/metrics");
        }
        else
            map(application);
        await application.StartAsync();
        return new DashboardApplication(application, store, server);
    }

    /// <summary>Sends a request.</summary>
    /// <param name="path">Its path and query.</param>
    /// <param name="from">The address of its sender; null: this machine's.</param>
    /// <param name="host">The name that it was sent to.</param>
    /// <param name="method">GET, or another.</param>
    /// <param name="protocol">HTTP/1.1, or another.</param>
    /// <param name="headers">Further headers.</param>
    public async Task<(HttpStatusCode Status, string Body, Microsoft.AspNetCore.Http.HttpResponse Response)> SendAsync(
        string path, string? from = null, string host = "localhost", string method = "GET",
        string protocol = "HTTP/1.1", params (string Name, string Value)[] headers)
    {
        var context = await _application.GetTestServer().SendAsync(request =>
        {
            string[] parts = path.Split('?', 2);
            request.Request.Method = method;
            request.Request.Protocol = protocol;
            request.Request.Path = parts[0];
            request.Request.QueryString = new(parts.Length > 1 ? "?" + parts[1] : "");
            request.Request.Host = new(host);
            request.Connection.RemoteIpAddress = IPAddress.Parse(from ?? "127.0.0.1");
            foreach (var (name, value) in headers)
                request.Request.Headers[name] = value;
        });
        using var reader = new StreamReader(context.Response.Body);
        return ((HttpStatusCode)context.Response.StatusCode, await reader.ReadToEndAsync(), context.Response);
    }

    public HttpClient CreateClient() => _application.GetTestClient();

    public async ValueTask DisposeAsync()
    {
        await _application.StopAsync();
        await _application.DisposeAsync();
        await Server.DisposeAsync();
        Store.Dispose();
    }
}
