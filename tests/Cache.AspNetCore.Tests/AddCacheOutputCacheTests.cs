using Cache.Core;
using Microsoft.AspNetCore.OutputCaching;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;

namespace Cache.AspNetCore.Tests;

public sealed class AddCacheOutputCacheTests
{
    private static readonly TimeSpan _minute = TimeSpan.FromMinutes(1);

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task AddCacheOutputCache_UsesTheContainersStore()
    {
        using var provider = new ServiceCollection().AddCache(SetLimit).AddCacheOutputCache().BuildServiceProvider();
        await provider.GetRequiredService<IOutputCacheStore>().SetAsync("k", [1], null, _minute, Token);
        Assert.Equal(1, provider.GetRequiredService<CacheStore>().Count);
    }

    [Fact]
    public void AddCacheOutputCache_Alone_RegistersAStore()
    {
        using var provider = new ServiceCollection().AddCacheOutputCache().BuildServiceProvider();
        Assert.IsType<StoreOutputCache>(provider.GetRequiredService<IOutputCacheStore>());
        Assert.NotNull(provider.GetService<CacheStore>());
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public void AddCacheOutputCache_BesideTheFrameworks_IsTheOneResolved(bool isFirst)
    {
        var services = new ServiceCollection();
        if (!isFirst)
            services.AddOutputCache();
        services.AddCacheOutputCache();
        if (isFirst)
            services.AddOutputCache();
        using var provider = services.BuildServiceProvider();
        Assert.IsType<StoreOutputCache>(provider.GetRequiredService<IOutputCacheStore>());
    }

    [Fact]
    public void AddCacheOutputCache_Configures_TheFrameworksOptions()
    {
        using var provider = new ServiceCollection()
            .AddCacheOutputCache(o => o.DefaultExpirationTimeSpan = _minute)
            .BuildServiceProvider();
        var options = provider.GetRequiredService<IOptions<OutputCacheOptions>>().Value;
        Assert.Equal(_minute, options.DefaultExpirationTimeSpan);
    }

    [Fact]
    public async Task AddCacheOutputCache_Key_KeepsPagesInAStoreOfTheirOwn()
    {
        using var provider = new ServiceCollection()
            .AddCache(SetLimit)
            .AddKeyedCache("pages", SetLimit)
            .AddCacheOutputCache("pages", _ => { })
            .BuildServiceProvider();
        await provider.GetRequiredService<IOutputCacheStore>().SetAsync("k", [1], null, _minute, Token);
        Assert.Equal(1, provider.GetRequiredKeyedService<CacheStore>("pages").Count);
        Assert.Equal(0, provider.GetRequiredService<CacheStore>().Count);
    }

    [Fact]
    public void AddCacheOutputCache_KeyOfNoCache_SaysWhatRegistersIt()
    {
        using var provider = new ServiceCollection()
            .AddCache(SetLimit)
            .AddCacheOutputCache("pgaes", _ => { })
            .BuildServiceProvider();
        var failure = Assert.Throws<InvalidOperationException>(
            () => provider.GetRequiredService<IOutputCacheStore>());
        Assert.Equal(
            "There is no cache with the key 'pgaes' for pages: AddKeyedCache registers it.", failure.Message);
    }

    [Fact]
    public void AddCacheOutputCache_Null_IsRefused()
    {
        var services = new ServiceCollection();
        Assert.Throws<ArgumentNullException>("configure", () => services.AddCacheOutputCache(null!));
        Assert.Throws<ArgumentNullException>("serviceKey", () => services.AddCacheOutputCache(null!, _ => { }));
        Assert.Throws<ArgumentNullException>("services", () => default(IServiceCollection)!.AddCacheOutputCache());
    }

    private static void SetLimit(CacheOptions options) => options.MemoryLimitBytes = 16 << 20;
}
