// Two of these and a Redis: what is written on the page of one appears on the page of the other, which reads its own
// memory.   redis-server --save ""
//   dotnet run -c Release --project samples/NearPages -- --urls http://127.0.0.1:5001
//   dotnet run -c Release --project samples/NearPages -- --urls http://127.0.0.1:5002
using System.Globalization;
using System.Text;
using Cache.Near;
using NearPages;

var builder = WebApplication.CreateBuilder(args);
builder.Logging.SetMinimumLevel(LogLevel.Warning);
builder.Services.AddCacheNear(builder.Configuration["Redis"] ?? "127.0.0.1:6379", options =>
{
    options.KeyPrefixes.Add(Watcher.Key);
    options.Layout = NearLayout.Plain;
});
builder.Services.AddHealthChecks().AddCacheNear();
builder.Services.AddSingleton<Watcher>();
builder.Services.AddHostedService(static provider => provider.GetRequiredService<Watcher>());
var app = builder.Build();

app.MapGet("/", static () => Results.Content(Page.Html, "text/html; charset=utf-8"));
app.MapGet("/seen", static (Watcher watcher, INearCache cache) => new
{
    watcher.Note,
    watcher.AgesMs,
    cache.Status.IsCoherent,
    cache.Status.Hits,
    cache.Status.Fills,
    cache.Status.Pushes,
});
app.MapPost("/note", static async (HttpRequest request, INearCache cache) =>
{
    string note = (await request.ReadFormAsync())["note"].ToString();
    string value = string.Create(CultureInfo.InvariantCulture, $"{TimeProvider.System.GetUtcNow().Ticks} {note}");
    await cache.SetAsync(Watcher.Key, Encoding.UTF8.GetBytes(value));
    return Results.NoContent();
});
app.MapHealthChecks("/health");
app.Run();
