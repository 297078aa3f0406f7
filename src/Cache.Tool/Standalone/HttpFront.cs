using System.Net;
using System.Net.Sockets;
using Cache.Dashboard;
using Cache.Dashboard.Live;
using Cache.Hosting.Configuration;
using Cache.Server;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Hosting;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Server.Kestrel.Transport.Sockets;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;

namespace Cache.Tool.Standalone;

/// <summary>The HTTP port: /metrics, /health, and the dashboard under /cache.</summary>
/// <remarks>
/// A small application of its own beside the host, since it must answer while the host still loads files. Without
/// http-port nothing of it is loaded.
/// </remarks>
internal sealed class HttpFront : IAsyncDisposable
{
    private const string DashboardPath = "/cache";

    // A hundred open pages with what they ask besides, and Prometheus: else strangers take the process's files.
    private const int ConnectionsMax = 256;

    // A reply that is not taken is not waited for longer: the files are closed already.
    private static readonly TimeSpan _stopMax = TimeSpan.FromSeconds(2);

    // Get alone refuses what some balancers ask.
    private static readonly string[] _readMethods = [HttpMethods.Get, HttpMethods.Head];

    private readonly WebApplication _application;

    private HttpFront(WebApplication application) => _application = application;

    /// <summary>Starts it, and returns when it listens.</summary>
    /// <param name="settings">The port, the addresses, and where each parameter is from.</param>
    /// <param name="server">The server to show.</param>
    /// <param name="loggers">Its log.</param>
    /// <param name="stopping">Cancelled when the program stops: from then on it is not healthy.</param>
    /// <exception cref="SettingException">An address cannot be listened on.</exception>
    public static async Task<HttpFront> StartAsync(
        ProgramSettings settings, RespServer server, ILoggerFactory loggers, CancellationToken stopping)
    {
        var builder = WebApplication.CreateEmptyBuilder(new WebApplicationOptions());
        builder.Services.AddRoutingCore().AddSingleton(server).AddSingleton(loggers)
            .Configure<HostOptions>(static host => host.ShutdownTimeout = _stopMax)
            .Configure<SocketTransportOptions>(static sockets => sockets.CreateBoundListenSocket = Bind);
        var endPoints = Resolve(settings);
        builder.WebHost.UseKestrelCore().ConfigureKestrel(kestrel =>
        {
            kestrel.AddServerHeader = false;
            kestrel.Limits.MaxConcurrentConnections = ConnectionsMax;
            foreach (var endPoint in endPoints)
                kestrel.Listen(endPoint);
        });
        var application = builder.Build();
        Map(application, server, settings, stopping);
        try
        {
            await application.StartAsync(stopping).ConfigureAwait(false);
            return new HttpFront(application);
        }
        catch (Exception e) when (e is IOException or SocketException) // The latter: no such address, or no right.
        {
            await application.DisposeAsync().ConfigureAwait(false);
            throw new SettingException([$"http-port is {settings.HttpPort}: {e.Message}"]);
        }
    }

    /// <summary>Ends the streams of open pages, then the rest.</summary>
    public async ValueTask DisposeAsync()
    {
        await _application.StopAsync().ConfigureAwait(false);
        await _application.DisposeAsync().ConfigureAwait(false);
    }

    private static void Map(
        WebApplication application, RespServer server, ProgramSettings settings, CancellationToken stopping)
    {
        application.UseRouting();
        application.MapCacheMetrics("/metrics").AllowAnonymous();
        application.MapMethods("/health", _readMethods, context => SendHealthAsync(context, server, stopping))
            .AllowAnonymous();
        application.MapGet("/", static context =>
        {
            context.Response.Redirect("cache/");
            return Task.CompletedTask;
        });
        var access = new DashboardAccess(server.State);
        application
            .MapCacheDashboard(DashboardPath, options =>
            {
                options.Origins = settings.Origins;
                options.ShowsValues = access.ShowsValuesAsync;
                options.EndsClients = access.EndsClientsAsync;
            })
            .AllowAnonymous(); // The next one decides.
        application.Use(next => context => context.Request.Path.StartsWithSegments(DashboardPath)
            ? access.AdmitAsync(context, next)
            : next(context));
    }

    private static Task SendHealthAsync(HttpContext context, RespServer server, CancellationToken stopping)
    {
        string state = stopping.IsCancellationRequested ? "stopping" : LiveSampler.StateOf(server.State);
        context.Response.StatusCode =
            state == "ready" ? StatusCodes.Status200OK : StatusCodes.Status503ServiceUnavailable;
        context.Response.ContentType = "text/plain; charset=utf-8";
        context.Response.Headers.CacheControl = "no-store";
        return context.Response.WriteAsync(state + "\n", context.RequestAborted);
    }

    private static List<IPEndPoint> Resolve(ProgramSettings settings)
    {
        var problems = new List<string>();
        var addresses = ListenAddress.Resolve(
            settings.HttpBind, settings.HttpPort, tlsPort: null,
            new ListenWords("http-port", "http-port", "http-bind"), problems);
        return problems.Count == 0
            ? [.. addresses.Where(IsThere).Select(static one => one.EndPoint).Distinct()]
            : throw new SettingException(problems);
    }

    private static bool IsThere(ListenAddress address)
    {
        if (!address.MayBeAbsent)
            return true;
        try
        {
            Bind(new IPEndPoint(address.EndPoint.Address, 0)).Dispose();
            return true;
        }
        catch (SocketException)
        {
            return false;
        }
    }

    // Kestrel's own socket for all of IPv6 takes IPv4 too.
    private static Socket Bind(EndPoint endPoint)
    {
        if (endPoint.AddressFamily != AddressFamily.InterNetworkV6)
            return SocketTransportOptions.CreateDefaultBoundListenSocket(endPoint);
        var socket = new Socket(AddressFamily.InterNetworkV6, SocketType.Stream, ProtocolType.Tcp);
        try
        {
            socket.DualMode = false;
            socket.Bind(endPoint);
            return socket;
        }
        catch (SocketException)
        {
            socket.Dispose();
            throw;
        }
    }
}
