using System.Buffers.Text;
using System.Globalization;
using Cache.Core;
using Cache.Dashboard.Data;
using Cache.Dashboard.Live;
using Cache.Server.Commands.Dispatch;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Routing;

namespace Cache.Dashboard;

/// <summary>The endpoints of the dashboard: its files, live figures, the data of its pages, and one action.</summary>
internal sealed class DashboardEndpoints : IDisposable
{
    // What a query may name: longer keys are found by a pattern.
    private const int KeyTextMax = 8192;

    private readonly ServerState _server;
    private readonly CacheDashboardOptions _options;
    private readonly LiveSampler _sampler;
    private readonly LiveStream _stream;
    private readonly ConfigurationData _configuration;

    public DashboardEndpoints(ServerState server, CacheDashboardOptions options)
    {
        _server = server;
        _options = options;
        _sampler = new LiveSampler(server);
        _stream = new LiveStream(_sampler);
        _configuration = new ConfigurationData(server, options.Origins);
    }

    public IEndpointConventionBuilder Map(RouteGroupBuilder group)
    {
        group.WithMetadata(LocalRequests.NeverCached);
        Get(group, "/", SendPageAsync);
        Get(group, "/assets/{**path}", static context => Assets.SendAsync(context, RouteOf(context, "path")));
        Get(group, "/api/live", _stream.SendAsync);
        Get(group, "/api/server", Data((json, _) => ServerData.Write(json, _server)));
        Get(group, "/api/doctor", Data((json, _) => DoctorData.Write(json, _server)));
        Get(group, "/api/hits", Data((json, _) => HitData.Write(json, _server)));
        Get(group, "/api/prefixes", Data((json, _) => PrefixData.Write(json, _server)));
        Get(group, "/api/memory", Data((json, _) => MemoryData.Write(json, _server)));
        Get(group, "/api/latency", Guarded(SendLatencyAsync));
        Get(group, "/api/clients", Data(
            (json, request) => ClientData.Write(json, _server, ClientQuery.Of(request.Query))));
        Get(group, "/api/keys", Guarded(SendKeysAsync));
        Get(group, "/api/hotkeys", Data((json, _) => HotKeyData.Write(json, _server)));
        Get(group, "/api/key", Guarded(SendKeyAsync));
        Get(group, "/api/configuration", Data((json, _) => _configuration.Write(json)));
        Get(group, "/api/events", Data((json, _) => EventData.Write(json, _server)));
        group.MapPost("/api/clients/{id}/end", LocalRequests.Guard(Guarded(EndClientAsync)));
        return group;
    }

    public void Dispose() => _sampler.Dispose();

    private static void Get(RouteGroupBuilder group, string pattern, RequestDelegate handler) =>
        group.MapGet(pattern, LocalRequests.Guard(handler));

    private static string RouteOf(HttpContext context, string name) => context.GetRouteValue(name) as string ?? "";

    private RequestDelegate Data(Action<System.Text.Json.Utf8JsonWriter, HttpRequest> write) =>
        Guarded(context => JsonReply.SendAsync(context, json => write(json, context.Request)));

    // The application may have disposed its store, and may show that page none the less.
    private RequestDelegate Guarded(RequestDelegate next) => context => _server.IsStoreDisposed
        ? JsonReply.SendErrorAsync(context, StatusCodes.Status503ServiceUnavailable, "The store was disposed.")
        : next(context);

    // The files' paths are relative to the page's: it needs the slash at its end.
    private static Task SendPageAsync(HttpContext context)
    {
        string path = context.Request.PathBase + context.Request.Path;
        if (path.EndsWith('/'))
            return Assets.SendAsync(context, "index.html");
        context.Response.Redirect(path[path.LastIndexOf('/')..].TrimStart('/') + "/");
        return Task.CompletedTask;
    }

    private async Task SendLatencyAsync(HttpContext context)
    {
        bool showsValues = await ShowsValuesAsync(context).ConfigureAwait(false);
        await JsonReply.SendAsync(context, json => LatencyData.Write(json, _server, showsValues))
            .ConfigureAwait(false);
    }

    private Task SendKeysAsync(HttpContext context)
    {
        var query = context.Request.Query;
        string pattern = query["pattern"].ToString();
        _ = ulong.TryParse(query["cursor"], NumberStyles.None, CultureInfo.InvariantCulture, out ulong cursor);
        return FindDatabase(query["database"]) is { } store && pattern.Length <= KeyTextMax
            ? JsonReply.SendAsync(context, json => KeyData.WritePage(json, store, pattern, cursor))
            : JsonReply.SendErrorAsync(
                context, StatusCodes.Status400BadRequest, "No such database, or a long pattern.");
    }

    private async Task SendKeyAsync(HttpContext context)
    {
        var query = context.Request.Query;
        byte[]? key = ReadKey(query);
        if (FindDatabase(query["database"]) is not { } store || key is null)
        {
            await JsonReply.SendErrorAsync(context, StatusCodes.Status400BadRequest, "No such database, or no key.")
                .ConfigureAwait(false);
            return;
        }

        bool showsValue = await ShowsValuesAsync(context).ConfigureAwait(false);
        await JsonReply.SendAsync(context, json => KeyData.WriteOne(json, store, key, showsValue))
            .ConfigureAwait(false);
    }

    // By its bytes, as a list names it, or by its text, as a person does.
    private static byte[]? ReadKey(IQueryCollection query)
    {
        string id = query["id"].ToString();
        if (id.Length > 0)
            return id.Length <= KeyTextMax && Base64Url.IsValid(id) ? Base64Url.DecodeFromChars(id) : null;
        string text = query["key"].ToString();
        return text.Length <= KeyTextMax ? System.Text.Encoding.UTF8.GetBytes(text) : null;
    }

    private CacheStore? FindDatabase(string? text) =>
        string.IsNullOrEmpty(text) ? _server.Databases[0]
        : int.TryParse(text, NumberStyles.None, CultureInfo.InvariantCulture, out int number)
            && number < _server.Databases.Count
            ? _server.Databases[number]
            : null;

    private async Task EndClientAsync(HttpContext context)
    {
        if (!SameOrigin.Is(context.Request))
        {
            await JsonReply.SendErrorAsync(
                context, StatusCodes.Status403Forbidden, "Only the dashboard's own page may do that.")
                .ConfigureAwait(false);
            return;
        }

        if (_options.EndsClients is { } may && !await may(context).ConfigureAwait(false))
        {
            await JsonReply.SendErrorAsync(
                context, StatusCodes.Status403Forbidden, "You may not disconnect clients.").ConfigureAwait(false);
            return;
        }

        var client = long.TryParse(
            RouteOf(context, "id"), NumberStyles.None, CultureInfo.InvariantCulture, out long id)
            ? _server.Clients.Find(id)
            : null;
        client?.Kill();
        await JsonReply.SendAsync(context, json => json.WriteBoolean("ended", client is not null))
            .ConfigureAwait(false);
    }

    private ValueTask<bool> ShowsValuesAsync(HttpContext context) =>
        _options.ShowsValues is { } shows ? shows(context) : ValueTask.FromResult(false);
}
