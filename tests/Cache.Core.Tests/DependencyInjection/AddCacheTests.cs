using System.Buffers;
using Cache.Testing;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace Cache.Core.Tests.DependencyInjection;

public sealed class AddCacheTests
{
    private const long LimitBytes = 16 << 20;

    [Fact]
    public void AddCache_RegistersOneStoreAndItsDistributedCache()
    {
        using var provider = new ServiceCollection()
            .AddCache(o => o.MemoryLimitBytes = LimitBytes).BuildServiceProvider();
        var store = provider.GetRequiredService<CacheStore>();
        Assert.Equal(LimitBytes, store.MemoryLimitBytes);
        Assert.Same(store, provider.GetRequiredService<CacheStore>());
        var cache = Assert.IsType<IBufferDistributedCache>(
            provider.GetRequiredService<IDistributedCache>(), exactMatch: false);
        cache.Set("k", [1]);
        Assert.Equal([1], store.GetArray("k"u8));
    }

    [Fact]
    public async Task EveryMember_AfterTheProvidersDisposal_Throws()
    {
        var provider = new ServiceCollection()
            .AddCache(o => o.MemoryLimitBytes = LimitBytes)
            .AddKeyedCache("pages", o => o.MemoryLimitBytes = LimitBytes).BuildServiceProvider();
        var caches = new[]
        {
            (IBufferDistributedCache)provider.GetRequiredService<IDistributedCache>(),
            (IBufferDistributedCache)provider.GetRequiredKeyedService<IDistributedCache>("pages"),
        };
        foreach (var cache in caches)
            cache.Set("k", [1]);
        await provider.DisposeAsync();

        foreach (var cache in caches)
            await AssertEndedAsync(cache);
    }

    [Fact]
    public async Task KeyedStores_EndEachByItself()
    {
        using var provider = new ServiceCollection()
            .AddKeyedCache("pages", o => o.MemoryLimitBytes = LimitBytes)
            .AddKeyedCache("data", o => o.MemoryLimitBytes = LimitBytes).BuildServiceProvider();
        var data = provider.GetRequiredKeyedService<IDistributedCache>("data");

        provider.GetRequiredKeyedService<CacheStore>("pages").Dispose();

        await AssertEndedAsync(
            (IBufferDistributedCache)provider.GetRequiredKeyedService<IDistributedCache>("pages"));
        data.Set("k", [1]);
        Assert.Equal([1], data.Get("k"));
    }

    [Fact]
    public void AddCache_WithoutOptions_TakesTheDefaults()
    {
        using var provider = new ServiceCollection().AddCache().BuildServiceProvider();
        Assert.Equal(new CacheOptions().KeyspaceCount, provider.GetRequiredService<CacheStore>().KeyspaceCount);
    }

    [Fact]
    public void AddCache_Twice_ConfiguresTheSameStoreInOrder()
    {
        using var provider = new ServiceCollection()
            .AddCache(o => (o.MemoryLimitBytes, o.KeyspaceCount) = (LimitBytes, 3))
            .AddCache(o => o.KeyspaceCount *= 2)
            .BuildServiceProvider();
        var store = Assert.Single(provider.GetServices<CacheStore>());
        Assert.Equal((LimitBytes, 6), (store.MemoryLimitBytes, store.KeyspaceCount));
    }

    [Fact]
    public void AddCache_TimeProviderRegistered_IsTheStoresClock()
    {
        var time = new FakeTimeProvider();
        using var provider = new ServiceCollection()
            .AddSingleton<TimeProvider>(time)
            .AddCache()
            .BuildServiceProvider();
        Assert.Same(time, provider.GetRequiredService<CacheStore>().TimeProvider);
    }

    [Fact]
    public void AddCache_WrongOptions_AreNamedWithValueAndRange()
    {
        using var provider = new ServiceCollection()
            .AddCache(o => (o.ShardCount, o.KeyspaceCount) = (3, 17))
            .BuildServiceProvider();
        var refused = Assert.Throws<OptionsValidationException>(provider.GetRequiredService<CacheStore>);
        Assert.Contains("CacheOptions.ShardCount is 3", refused.Message, StringComparison.Ordinal);
        Assert.Contains(
            "CacheOptions.KeyspaceCount is 17; it must be between 1 and 16.",
            refused.Message,
            StringComparison.Ordinal);
    }

    [Fact]
    public void AddCache_WrongOptions_FailTheStartOfAHost()
    {
        using var provider = new ServiceCollection().AddCache(o => o.KeyspaceCount = 0).BuildServiceProvider();
        Assert.Throws<OptionsValidationException>(provider.GetRequiredService<IStartupValidator>().Validate);
    }

    [Fact]
    public void AddCache_ExistingStore_IsSharedAndNotDisposed()
    {
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = LimitBytes });
        using (var provider = new ServiceCollection().AddCache(store).BuildServiceProvider())
        {
            Assert.Same(store, provider.GetRequiredService<CacheStore>());
            provider.GetRequiredService<IDistributedCache>().Set("k", [1]);
        }

        Assert.Equal([1], store.GetArray("k"u8));
    }

    [Fact]
    public void AddCache_AfterAnotherDistributedCache_IsTheOneResolved()
    {
        using var provider = new ServiceCollection().AddDistributedMemoryCache().AddCache().BuildServiceProvider();
        Assert.IsType<IBufferDistributedCache>(provider.GetRequiredService<IDistributedCache>(), exactMatch: false);
    }

    [Fact]
    public void AddCacheStore_LeavesTheDistributedCacheAlone()
    {
        using var provider = new ServiceCollection()
            .AddCacheStore(o => o.MemoryLimitBytes = LimitBytes)
            .BuildServiceProvider();
        Assert.Equal(LimitBytes, provider.GetRequiredService<CacheStore>().MemoryLimitBytes);
        Assert.Null(provider.GetService<IDistributedCache>());
    }

    [Fact]
    public void AddKeyedCache_KeepsStoresApart()
    {
        using var provider = new ServiceCollection()
            .AddCache(o => o.MemoryLimitBytes = LimitBytes)
            .AddKeyedCache("pages", o => o.MemoryLimitBytes = 2 * LimitBytes)
            .BuildServiceProvider();
        provider.GetRequiredKeyedService<IDistributedCache>("pages").Set("k", [1]);
        var pages = provider.GetRequiredKeyedService<CacheStore>("pages");
        Assert.Equal(2 * LimitBytes, pages.MemoryLimitBytes);
        Assert.Equal([1], pages.GetArray("k"u8));
        Assert.Null(provider.GetRequiredService<IDistributedCache>().Get("k"));
    }

    [Fact]
    public void AddCache_Null_IsRefused()
    {
        var services = new ServiceCollection();
        Assert.Throws<ArgumentNullException>("store", () => services.AddCache((CacheStore)null!));
        Assert.Throws<ArgumentNullException>("configure", () => services.AddCache((Action<CacheOptions>)null!));
    }

    private static async Task AssertEndedAsync(IBufferDistributedCache cache)
    {
        var token = TestContext.Current.CancellationToken;
        var options = new DistributedCacheEntryOptions();
        var bytes = new ReadOnlySequence<byte>([1]);
        var writer = new ArrayBufferWriter<byte>();
        Assert.Throws<ObjectDisposedException>(() => cache.Get("k"));
        Assert.Throws<ObjectDisposedException>(() => cache.TryGet("k", writer));
        Assert.Throws<ObjectDisposedException>(() => cache.Set("k", [1], options));
        Assert.Throws<ObjectDisposedException>(() => cache.Set("k", bytes, options));
        Assert.Throws<ObjectDisposedException>(() => cache.Refresh("k"));
        Assert.Throws<ObjectDisposedException>(() => cache.Remove("k"));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => cache.GetAsync("k", token));
        await Assert.ThrowsAsync<ObjectDisposedException>(async () => await cache.TryGetAsync("k", writer, token));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => cache.SetAsync("k", [1], options, token));
        await Assert.ThrowsAsync<ObjectDisposedException>(
            async () => await cache.SetAsync("k", bytes, options, token));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => cache.RefreshAsync("k", token));
        await Assert.ThrowsAsync<ObjectDisposedException>(() => cache.RemoveAsync("k", token));
        Assert.Equal(0, writer.WrittenCount);
    }
}
