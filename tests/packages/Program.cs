using System.Diagnostics;
using System.Diagnostics.Metrics;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Cache.Client;
using Cache.Core;
using Cache.Core.Diagnostics;
using Cache.Near;
using Cache.Server;
using Microsoft.AspNetCore.OutputCaching;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.Diagnostics.HealthChecks;

// An application that has nothing but the packages: every door once. Ends with "N passed, N failed".
int passed = 0;
int failed = 0;

var builder = WebApplication.CreateSlimBuilder();
builder.Logging.ClearProviders();
builder.Configuration.AddInMemoryCollection([
    new("Urls", "http://127.0.0.1:0"),
    new("Cache:MemoryLimitBytes", "16mb"),
    new("Pages:MemoryLimitBytes", "8mb"),
    new("Hybrid:DefaultEntryOptions:Flags", "DisableCompression"),
    new("Hybrid:MaximumPayloadBytes", "1kb"),
    new("CacheServer:Port", "0")]);
builder.Services
    .AddCache(builder.Configuration.GetSection("Cache"))
    .AddKeyedCache("pages", builder.Configuration.GetSection("Pages"))
    .AddCacheServer(builder.Configuration.GetSection("CacheServer"))
    .AddCacheOutputCache("pages", static _ => { })
    .AddCacheHybridCache(builder.Configuration.GetSection("Hybrid"))
    .AddHealthChecks().AddCacheStore().AddCacheStore("pages");
await using var app = builder.Build();
int pages = 0;
app.UseOutputCache();
app.MapGet("/page", () => $"page {Interlocked.Increment(ref pages)}").CacheOutput(static policy => policy.Tag("pages"));
app.MapHealthChecks("/health");
app.MapCacheMetrics("/metrics");
app.MapCacheDashboard("/cache");
await app.StartAsync();
var startTime = DateTime.Now - Process.GetCurrentProcess().StartTime;

var store = app.Services.GetRequiredService<CacheStore>();
Check("limit from the configuration", 16 << 20, store.MemoryLimitBytes);

var distributed = app.Services.GetRequiredService<IDistributedCache>();
await distributed.SetStringAsync("greeting", "hello");
Check("distributed cache", "hello", await distributed.GetStringAsync("greeting"));
Check("server", "$5\r\nhello\r\n", Ask("GET greeting"));

var hybrid = app.Services.GetRequiredService<HybridCache>();
string made = await hybrid.GetOrCreateAsync("made", static _ => ValueTask.FromResult("once"), tags: ["tag"]);
Check("hybrid cache, made", "once", made);
Check("hybrid cache, kept", "once", await hybrid.GetOrCreateAsync("made", static _ => ValueTask.FromResult("twice")));
await hybrid.RemoveByTagAsync("tag");
Check("hybrid cache, tag", "twice", await hybrid.GetOrCreateAsync("made", static _ => ValueTask.FromResult("twice")));

await hybrid.SetAsync("long", new string('v', 2048));
Check("hybrid cache, options", null, await distributed.GetStringAsync("long"));

using var client = new HttpClient { BaseAddress = new Uri(app.Urls.First()) };
Check("first page", "page 1", await client.GetStringAsync("/page"));
Check("page from the output cache", "page 1", await client.GetStringAsync("/page"));
await app.Services.GetRequiredService<IOutputCacheStore>().EvictByTagAsync("pages", default);
Check("page after its tag was evicted", "page 2", await client.GetStringAsync("/page"));
Check("health", "Healthy", await client.GetStringAsync("/health"));
Check("metrics", 2, CountRequests());
string figures = await client.GetStringAsync("/metrics");
bool isThere = figures.Contains("redis_commands_total{cmd=\"get\"} 1\n", StringComparison.Ordinal);
Check("metrics for Prometheus", true, isThere);
string dashboard = await client.GetStringAsync("/cache/") + await client.GetStringAsync("/cache/assets/app.js");
Check("dashboard", true, dashboard.Contains("<title>Cache</title>", StringComparison.Ordinal));

// The near cache before our own server, by time: its client, its layout, its store.
var servers = RespClientOptions.Parse(app.Services.GetRequiredService<RespServer>().EndPoints[0].ToString()!);
await using (var near = new NearCache(new NearCacheOptions
{
    Servers = servers,
    AllKeys = true,
    Layout = NearLayout.Plain,
    Coherence = NearCoherence.TimeOnly,
}))
{
    await near.StartAsync(default);
    await near.SetAsync("near", "here"u8.ToArray());
    Check("near cache", "here", Encoding.ASCII.GetString(await near.GetAsync("near") ?? []));
    Check("near cache, through", "$4\r\nhere\r\n", Ask("GET near"));
}

await app.StopAsync();
Console.WriteLine($"started in {startTime.TotalMilliseconds:0} ms");
Console.WriteLine($"{passed} passed, {failed} failed");
return failed == 0 ? 0 : 1;

void Check<T>(string what, T expected, T actual)
{
    if (EqualityComparer<T>.Default.Equals(expected, actual))
    {
        passed++;
        return;
    }

    failed++;
    Console.WriteLine($"FAILED {what}: expected {expected}, was {actual}");
}

string Ask(string request)
{
    using var socket = new TcpClient();
    socket.Connect((IPEndPoint)app.Services.GetRequiredService<RespServer>().EndPoints[0]);
    socket.GetStream().Write(Encoding.ASCII.GetBytes($"{request}\r\nQUIT\r\n"));
    string reply = new StreamReader(socket.GetStream(), Encoding.ASCII).ReadToEnd();
    return reply.Replace("+OK\r\n", "", StringComparison.Ordinal);
}

// Of the store without a key: hits and misses.
int CountRequests()
{
    int count = 0;
    using var listener = new MeterListener();
    listener.InstrumentPublished = static (instrument, its) =>
    {
        if (instrument is { Name: "dotnet.cache.requests", Meter.Name: CacheMetrics.MeterName })
            its.EnableMeasurementEvents(instrument);
    };
    listener.SetMeasurementEventCallback<long>((_, _, tags, _) =>
    {
        foreach (var tag in tags)
            count += tag is { Key: "dotnet.cache.name", Value: "default" } ? 1 : 0;
    });
    listener.Start();
    listener.RecordObservableInstruments();
    return count;
}
