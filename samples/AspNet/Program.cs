using System.Diagnostics;
using System.Globalization;
using AspNet;
using Cache.Core;
using Cache.Core.Hybrid;
using Cache.Server;
using Microsoft.AspNetCore.OutputCaching;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Caching.Hybrid;

var builder = WebApplication.CreateBuilder(args);

// One store for sessions, IDistributedCache, HybridCache and the output cache; the server lets Redis clients see it.
builder.Services.AddCache(builder.Configuration.GetSection("Cache"));
builder.Services.AddCacheServer(builder.Configuration.GetSection("CacheServer"));
builder.Services.AddCacheHybridCache(builder.Configuration.GetSection("Hybrid"));
builder.Services.AddCacheOutputCache();
builder.Services.AddSession(options => options.IdleTimeout = TimeSpan.FromMinutes(20));

// What it does: /health, metrics on the console, and a little traffic on request.
builder.Services.AddHealthChecks().AddCacheStore();
builder.Services.AddHostedService<Telemetry>();
builder.Services.AddSingleton<Traffic>();
builder.Services.AddSingleton<Prices>();

var app = builder.Build();
// A session is read from the store by each request: not by those that only look at the figures.
app.UseWhen(static context => context.Request.Path == "/", static branch => branch.UseSession());
app.UseOutputCache();

app.MapGet("/", async (
    HttpContext context, IDistributedCache cache, Prices prices, StoreHybridCache hybrid, RespServer server) =>
{
    int visits = (context.Session.GetInt32("visits") ?? 0) + 1;
    context.Session.SetInt32("visits", visits);
    long start = Stopwatch.GetTimestamp();
    var list = await prices.ListAsync(context.RequestAborted);
    var took = Stopwatch.GetElapsedTime(start);
    string? note = await cache.GetStringAsync("note");
    string page = Page.Render(visits, note, list, took, hybrid.GetStatistics(), server.EndPoints[0]);
    return Results.Content(page, "text/html; charset=utf-8");
});

app.MapPost("/note", async (HttpRequest request, IDistributedCache cache) =>
{
    var form = await request.ReadFormAsync();
    var expiry = new DistributedCacheEntryOptions { SlidingExpiration = TimeSpan.FromMinutes(5) };
    await cache.SetStringAsync("note", form["note"].ToString(), expiry);
    return Results.Redirect("/");
});

app.MapPost("/prices", async (HybridCache cache) =>
{
    await cache.RemoveByTagAsync("prices");
    return Results.Redirect("/");
});

app.MapGet("/report", () => $"Made at {DateTime.Now.ToString("HH:mm:ss.fff", CultureInfo.InvariantCulture)}.")
    .CacheOutput(policy => policy.Expire(TimeSpan.FromMinutes(10)).Tag("reports"));

app.MapPost("/report", async (IOutputCacheStore cache, CancellationToken token) =>
{
    await cache.EvictByTagAsync("reports", token);
    return Results.Redirect("/report");
});

app.MapPost("/traffic", (Traffic traffic) => traffic.Run());
app.MapGet("/statistics", (CacheStore store) => store.GetStatistics());
app.MapHealthChecks("/health");

app.Run();
