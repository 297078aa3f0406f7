using System.Text;
using System.Text.Json;
using Cache.Core.Hybrid;
using Cache.Core.Tests.Hybrid;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace Cache.Core.Tests.DependencyInjection;

public sealed class AddCacheHybridCacheTests
{
    private const long LimitBytes = 16 << 20;

    [Fact]
    public async Task AddCacheHybridCache_IsOnTheRegisteredStore()
    {
        using var provider = Services().AddCacheHybridCache().BuildServiceProvider();
        var cache = provider.GetRequiredService<HybridCache>();
        Assert.Same(cache, provider.GetRequiredService<StoreHybridCache>());
        await cache.SetAsync("k", "v", cancellationToken: TestContext.Current.CancellationToken);
        Assert.Equal("v", provider.GetRequiredService<IDistributedCache>().GetString("k"));
    }

    [Fact]
    public void AddCacheHybridCache_WithoutAStore_MakesOne()
    {
        using var provider = new ServiceCollection().AddCacheHybridCache().BuildServiceProvider();
        Assert.Same(
            provider.GetRequiredService<CacheStore>(), provider.GetRequiredService<StoreHybridCache>().Store);
        Assert.Null(provider.GetService<IDistributedCache>());
    }

    [Fact]
    public async Task AddCacheHybridCache_Twice_ConfiguresTheSameCacheInOrder()
    {
        using var provider = Services()
            .AddCacheHybridCache(o => o.MaximumPayloadBytes = 5)
            .AddCacheHybridCache(o => o.MaximumPayloadBytes *= 2)
            .BuildServiceProvider();
        var cache = provider.GetRequiredService<HybridCache>();
        await cache.SetAsync("k", new string('v', 10), cancellationToken: TestContext.Current.CancellationToken);
        await cache.SetAsync("l", new string('v', 11), cancellationToken: TestContext.Current.CancellationToken);
        Assert.Equal(1, provider.GetRequiredService<CacheStore>().Count);
        Assert.Single(provider.GetServices<StoreHybridCache>());
    }

    [Fact]
    public void AddCacheHybridCache_WrongOptions_FailTheStartOfAHost()
    {
        using var provider = Services().AddCacheHybridCache(o => o.MaximumKeyLength = 0).BuildServiceProvider();
        var refused = Assert.Throws<OptionsValidationException>(
            provider.GetRequiredService<IStartupValidator>().Validate);
        Assert.Contains("HybridStoreOptions.MaximumKeyLength is 0", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task AddKeyedCacheHybridCache_IsOnTheStoreOfItsKey()
    {
        using var provider = Services()
            .AddKeyedCache("pages", o => o.MemoryLimitBytes = LimitBytes)
            .AddCacheHybridCache()
            .AddKeyedCacheHybridCache("pages", _ => { })
            .AddKeyedCacheHybridCache("other", o => o.MaximumReadyObjects = 0)
            .BuildServiceProvider();
        var pages = provider.GetRequiredKeyedService<HybridCache>("pages");
        await pages.SetAsync("k", "v", cancellationToken: TestContext.Current.CancellationToken);
        Assert.Equal(1, provider.GetRequiredKeyedService<CacheStore>("pages").Count);
        Assert.Equal(0, provider.GetRequiredService<CacheStore>().Count);
        var other = provider.GetRequiredKeyedService<StoreHybridCache>("other");
        Assert.Same(provider.GetRequiredService<CacheStore>(), other.Store);
        Assert.NotSame(other, provider.GetRequiredService<HybridCache>());
    }

    [Fact]
    public async Task SerializersAndJsonOptions_ComeFromTheContainer()
    {
        using var provider = Services()
            .AddCacheHybridCache()
            .AddKeyedSingleton<JsonSerializerOptions>(
                typeof(IHybridCacheSerializer<>), (_, _) => OrderContext.Default.Options)
            .BuildServiceProvider();
        await provider.GetRequiredService<HybridCache>().SetAsync(
            "k", Order.Example(), cancellationToken: TestContext.Current.CancellationToken);
        string json = Encoding.UTF8.GetString(provider.GetRequiredService<CacheStore>().GetArray("k"u8)!);
        Assert.Contains("\"customer\":", json, StringComparison.Ordinal);
    }

    [Fact]
    public async Task UseSecondLevel_TakesTheDistributedCacheThatIsNotOurs()
    {
        var far = new FarCache();
        using var provider = new ServiceCollection()
            .AddSingleton<IDistributedCache>(far)
            .AddCache(o => o.MemoryLimitBytes = LimitBytes)
            .AddCacheHybridCache(o => o.UseSecondLevel = true)
            .BuildServiceProvider();
        await provider.GetRequiredService<HybridCache>().SetAsync(
            "k", "v", cancellationToken: TestContext.Current.CancellationToken);
        Assert.Equal(["k"], far.Keys);
    }

    [Fact]
    public async Task DistributedCacheServiceKey_NamesTheSecondLevel()
    {
        var far = new FarCache();
        using var provider = Services()
            .AddKeyedSingleton<IDistributedCache>("far", far)
            .AddCacheHybridCache(o => o.DistributedCacheServiceKey = "far")
            .BuildServiceProvider();
        await provider.GetRequiredService<HybridCache>().SetAsync(
            "k", "v", cancellationToken: TestContext.Current.CancellationToken);
        Assert.Equal(["k"], far.Keys);
    }

    [Fact]
    public void UseSecondLevel_WithoutAny_IsRefused()
    {
        using var provider = Services().AddCacheHybridCache(o => o.UseSecondLevel = true).BuildServiceProvider();
        var refused = Assert.Throws<OptionsValidationException>(provider.GetRequiredService<HybridCache>);
        Assert.Contains("UseSecondLevel is true; it needs a registered", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void NullArguments_AreRefused()
    {
        var services = new ServiceCollection();
        Assert.Throws<ArgumentNullException>("configure", () => services.AddCacheHybridCache(null!));
        Assert.Throws<ArgumentNullException>(
            "serviceKey", () => services.AddKeyedCacheHybridCache(null!, _ => { }));
    }

    private static IServiceCollection Services() =>
        new ServiceCollection().AddCache(o => o.MemoryLimitBytes = LimitBytes);
}
