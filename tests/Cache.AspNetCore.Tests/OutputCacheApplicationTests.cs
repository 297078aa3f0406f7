using Cache.Core;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.OutputCaching;
using Microsoft.AspNetCore.TestHost;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Logging;

namespace Cache.AspNetCore.Tests;

/// <summary>An application whose pages the framework's middleware keeps in the store.</summary>
public sealed class OutputCacheApplicationTests : IAsyncLifetime
{
    private readonly WebApplication _application;
    private int _pagesMade;

    public OutputCacheApplicationTests()
    {
        var builder = WebApplication.CreateSlimBuilder();
        builder.WebHost.UseTestServer();
        builder.Logging.ClearProviders();
        builder.Services.AddCache(o => o.MemoryLimitBytes = 16 << 20).AddCacheOutputCache();
        _application = builder.Build();
        _application.UseOutputCache();
        _application.MapGet("/pages/{name}", MakePage).CacheOutput(policy => policy.Tag("pages"));
    }

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    private CacheStore Store => _application.Services.GetRequiredService<CacheStore>();

    [Fact]
    public async Task Get_Twice_MakesThePageOnce()
    {
        using var client = _application.GetTestClient();
        string first = await client.GetStringAsync("/pages/a", Token);
        Assert.Equal("page a, made as number 1", first);
        Assert.Equal(first, await client.GetStringAsync("/pages/a", Token));
        Assert.Equal(1, Store.Count);
    }

    [Fact]
    public async Task Get_AfterItsTagWasEvicted_MakesThePageAgain()
    {
        using var client = _application.GetTestClient();
        await client.GetStringAsync("/pages/a", Token);
        await _application.Services.GetRequiredService<IOutputCacheStore>().EvictByTagAsync("pages", Token);
        Assert.Equal("page a, made as number 2", await client.GetStringAsync("/pages/a", Token));
        Assert.Equal("page a, made as number 2", await client.GetStringAsync("/pages/a", Token));
    }

    [Fact]
    public async Task Get_HeadersAndStatus_ComeFromTheStore()
    {
        using var client = _application.GetTestClient();
        await client.GetStringAsync("/pages/a", Token);
        using var second = await client.GetAsync("/pages/a", Token);
        Assert.Equal(1, _pagesMade);
        Assert.Equal(["a"], second.Headers.GetValues("X-Page"));
        Assert.NotNull(second.Headers.Age);
    }

    public async ValueTask InitializeAsync() => await _application.StartAsync(Token);

    public ValueTask DisposeAsync() => _application.DisposeAsync();

    private string MakePage(string name, HttpResponse response)
    {
        response.Headers["X-Page"] = name;
        return $"page {name}, made as number {Interlocked.Increment(ref _pagesMade)}";
    }
}
