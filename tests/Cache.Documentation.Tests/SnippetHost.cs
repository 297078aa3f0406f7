using System.Diagnostics;
using Cache.Server;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Cache.Documentation.Tests;

/// <summary>Sees a snippet's host being built: moves its server to a free port, asks its pages, stops it.</summary>
internal sealed class SnippetHost
    : IObserver<DiagnosticListener>, IObserver<KeyValuePair<string, object?>>, IDisposable
{
    private const string Listener = "Microsoft.Extensions.Hosting";

    private readonly IDisposable _all;
    private readonly List<IDisposable> _subscriptions = [];
    private readonly List<Task> _visits = [];

    public SnippetHost() => _all = DiagnosticListener.AllListeners.Subscribe(this);

    /// <summary>Hosts that were built and have started.</summary>
    public int Started { get; private set; }

    public List<string> Problems { get; } = [];

    public void OnNext(DiagnosticListener value)
    {
        if (value.Name == Listener)
            _subscriptions.Add(value.Subscribe(this));
    }

    public void OnNext(KeyValuePair<string, object?> value)
    {
        if (value is { Key: "HostBuilding", Value: IHostBuilder building })
        {
            // 6379 may be taken where the tests run.
            building.ConfigureServices(static services => services.PostConfigure<RespServerOptions>(
                static options => options.Port = 0));
        }

        if (value is { Key: "HostBuilt", Value: IHost host })
            host.Services.GetRequiredService<IHostApplicationLifetime>().ApplicationStarted.Register(() => Visit(host));
    }

    public void OnCompleted()
    {
    }

    public void OnError(Exception error)
    {
    }

    public void Dispose()
    {
        _all.Dispose();
        _subscriptions.ForEach(static one => one.Dispose());
    }

    private void Visit(IHost host)
    {
        Started++;
        _visits.Add(Task.Run(() => VisitAsync(host)));
    }

    private async Task VisitAsync(IHost host)
    {
        try
        {
            if (host.Services.GetService<Microsoft.AspNetCore.Hosting.Server.IServer>() is { } server)
                await AskPagesAsync(host.Services, AddressOf(server));
        }
        catch (Exception problem)
        {
            Problems.Add(problem.ToString());
        }
        finally
        {
            host.Services.GetRequiredService<IHostApplicationLifetime>().StopApplication();
        }
    }

    private async Task AskPagesAsync(IServiceProvider services, string address)
    {
        using var client = new HttpClient { BaseAddress = new Uri(address) };
        var endpoints = services.GetServices<EndpointDataSource>().SelectMany(static source => source.Endpoints);
        foreach (var endpoint in endpoints)
        {
            if (endpoint is not RouteEndpoint { RoutePattern.RawText: { } route } || !IsGet(endpoint))
                continue;
            string path = route.Replace("{id}", "17", StringComparison.Ordinal)
                .Replace("{**path}", "app.js", StringComparison.Ordinal);
            for (int time = 0; time < 2; time++)
            {
                // A stream of events begins, and does not end.
                using var answer = await client.GetAsync(path, HttpCompletionOption.ResponseHeadersRead);
                if (!answer.IsSuccessStatusCode)
                    Problems.Add($"GET {path}: {answer.StatusCode} {await answer.Content.ReadAsStringAsync()}");
            }
        }
    }

    private static bool IsGet(Microsoft.AspNetCore.Http.Endpoint endpoint) =>
        endpoint.Metadata.GetMetadata<IHttpMethodMetadata>()?.HttpMethods.Contains("GET") ?? true;

    private static string AddressOf(Microsoft.AspNetCore.Hosting.Server.IServer server) =>
        server.Features.Get<Microsoft.AspNetCore.Hosting.Server.Features.IServerAddressesFeature>()!.Addresses.First();
}
