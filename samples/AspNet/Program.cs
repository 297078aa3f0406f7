using AspNet;
using Cache.Core.DependencyInjection;
using Cache.Hosting;
using Microsoft.Extensions.Caching.Distributed;

var builder = WebApplication.CreateBuilder(args);

// One store: IDistributedCache and sessions write to it in process, the server lets Redis clients see the same entries.
builder.Services.AddCache(options => options.MemoryLimitBytes = 64 << 20);
builder.Services.AddCacheServer(builder.Configuration.GetSection("CacheServer"));
builder.Services.AddSession(options => options.IdleTimeout = TimeSpan.FromMinutes(20));

var app = builder.Build();
app.UseSession();

app.MapGet("/", async (HttpContext context, IDistributedCache cache) =>
{
    int visits = (context.Session.GetInt32("visits") ?? 0) + 1;
    context.Session.SetInt32("visits", visits);
    return Results.Content(Page.Render(visits, await cache.GetStringAsync("note")), "text/html; charset=utf-8");
});

app.MapPost("/note", async (HttpRequest request, IDistributedCache cache) =>
{
    var form = await request.ReadFormAsync();
    var expiry = new DistributedCacheEntryOptions { SlidingExpiration = TimeSpan.FromMinutes(5) };
    await cache.SetStringAsync("note", form["note"].ToString(), expiry);
    return Results.Redirect("/");
});

app.Run();
