using System.Text;
using Cache.Core;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.DependencyInjection;

namespace Cache.Hosting.Tests;

/// <summary>The application and the server's clients see the same entries.</summary>
public sealed class SharedStoreTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Store_IsOneForTheApplicationAndTheClients()
    {
        using var host = TestHost.Build(
            services => services.AddCache(o => o.MemoryLimitBytes = 16 << 20).AddCacheServer(o => o.Port = 0));
        await host.StartAsync(Token);
        var cache = host.Services.GetRequiredService<IDistributedCache>();
        await using var client = await TestClient.ConnectAsync(TestHost.EndPointOf(host));
        await cache.SetStringAsync("page", "wrote this", Token);
        await client.ExpectAsync("GET page", "$10\r\nwrote this\r\n");
        await client.SendAsync(Encoding.UTF8.GetBytes("SET client ключ\r\n"));
        Assert.Equal("+OK\r\n", await client.ReadAsync(5));
        Assert.Equal("ключ", await cache.GetStringAsync("client", Token));
        await host.StopAsync(Token);
    }

    [Fact]
    public async Task HybridCache_SeesWhatAClientWritesAtOnce()
    {
        using var host = TestHost.Build(services => services
            .AddCache(o => o.MemoryLimitBytes = 16 << 20).AddCacheHybridCache().AddCacheServer(o => o.Port = 0));
        await host.StartAsync(Token);
        var cache = host.Services.GetRequiredService<HybridCache>();
        await using var client = await TestClient.ConnectAsync(TestHost.EndPointOf(host));
        Assert.Equal("made", await Get());
        Assert.Equal("made", await Get());
        Assert.Equal("made", await Get()); // By now it is a ready object.
        await client.ExpectAsync("GET page", "$4\r\nmade\r\n");
        await client.ExpectAsync("SET page client", "+OK\r\n");
        Assert.Equal("client", await Get());
        await client.ExpectAsync("APPEND page !", ":7\r\n");
        Assert.Equal("client!", await Get());
        await client.ExpectAsync("DEL page", ":1\r\n");
        Assert.Equal("made", await Get());
        await client.ExpectAsync("FLUSHALL", "+OK\r\n");
        await client.ExpectAsync("MSET page many other x", "+OK\r\n");
        Assert.Equal("many", await Get());
        await host.StopAsync(Token);

        async Task<string> Get() => await cache.GetOrCreateAsync(
            "page", static _ => ValueTask.FromResult("made"), cancellationToken: Token);
    }

    [Fact]
    public async Task AddCacheServer_ExistingStore_IsServedAndNotDisposed()
    {
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20 });
        store.Set("k"u8, "v"u8);
        using (var host = TestHost.Build(services => services.AddCacheServer(store, o => o.Port = 0)))
        {
            await host.StartAsync(Token);
            await using var client = await TestClient.ConnectAsync(TestHost.EndPointOf(host));
            await client.ExpectAsync("GET k", "$1\r\nv\r\n");
            await host.StopAsync(Token);
        }

        Assert.Equal("v"u8.ToArray(), store.GetArray("k"u8));
    }
}
