using Cache.Core;
using Cache.Core.Hybrid;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace Cache.Hosting.Tests;

public sealed class HybridCacheConfigurationTests
{
    // What only a program can give: objects.
    private static readonly string[] _objects = ["JsonOptions", "OnFailure", "SecondLevel", "SerializerFactories"];

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public void Section_SetsTheOptions()
    {
        var options = Read(
            ("MaximumKeyLength", "100"), ("maximumpayloadbytes", "4mb"), ("MaximumReadyObjects", "0"),
            ("MaximumReadyPayloadBytes", "8kb"), ("FailSafeMaximumDuration", "3600"),
            ("FailSafeThrottleDuration", "00:00:05"), ("EagerRefreshThreshold", "0.8"),
            ("FactorySoftTimeout", "00:00:00.1"), ("FactoryHardTimeout", "2"));
        Assert.Equal((100, 4 << 20), (options.MaximumKeyLength, options.MaximumPayloadBytes));
        Assert.Equal((0, 8 << 10), (options.MaximumReadyObjects, options.MaximumReadyPayloadBytes));
        Assert.Equal(TimeSpan.FromHours(1), options.FailSafeMaximumDuration);
        Assert.Equal(TimeSpan.FromSeconds(5), options.FailSafeThrottleDuration);
        Assert.Equal(0.8, options.EagerRefreshThreshold);
        Assert.Equal(TimeSpan.FromMilliseconds(100), options.FactorySoftTimeout);
        Assert.Equal(TimeSpan.FromSeconds(2), options.FactoryHardTimeout);
    }

    [Fact]
    public void Section_SetsTheDefaultsOfEntries()
    {
        var defaults = Read(
            ("DefaultEntryOptions:Expiration", "00:10:00"), ("DefaultEntryOptions:LocalCacheExpiration", "60"),
            ("DefaultEntryOptions:Flags", "DisableCompression, disablelocalcacheread")).DefaultEntryOptions;
        Assert.Equal(TimeSpan.FromMinutes(10), defaults?.Expiration);
        Assert.Equal(TimeSpan.FromMinutes(1), defaults?.LocalCacheExpiration);
        Assert.Equal(
            HybridCacheEntryFlags.DisableCompression | HybridCacheEntryFlags.DisableLocalCacheRead, defaults?.Flags);
    }

    [Fact]
    public void Section_OfOneDefault_LeavesTheOthers()
    {
        var defaults = Read(("DefaultEntryOptions:LocalCacheExpiration", "60")).DefaultEntryOptions;
        Assert.Null(defaults?.Expiration);
        Assert.Null(defaults?.Flags);
    }

    [Fact]
    public async Task Section_IsThatOfTheCache()
    {
        using var host = Build(services => services
            .AddCacheStore(static options => options.MemoryLimitBytes = 16 << 20)
            .AddCacheHybridCache(Section("Hybrid", ("MaximumPayloadBytes", "3"))));
        var cache = host.Services.GetRequiredService<HybridCache>();
        await cache.SetAsync("short", "abc", cancellationToken: Token);
        await cache.SetAsync("long", "abcd", cancellationToken: Token);
        Assert.Equal(1, host.Services.GetRequiredService<CacheStore>().Count);
    }

    [Fact]
    public async Task KeyedCaches_HaveSectionsOfTheirOwn()
    {
        using var host = Build(services => services
            .AddKeyedCache("pages", static options => options.MemoryLimitBytes = 16 << 20)
            .AddKeyedCacheHybridCache("pages", Section("Pages", ("MaximumPayloadBytes", "3")))
            .AddCacheHybridCache(Section("Hybrid", ("MaximumPayloadBytes", "2mb"))));
        var options = host.Services.GetRequiredService<IOptionsMonitor<HybridStoreOptions>>();
        Assert.Equal(3, options.Get("pages").MaximumPayloadBytes);
        Assert.Equal(2 << 20, options.CurrentValue.MaximumPayloadBytes);
        var pages = host.Services.GetRequiredKeyedService<HybridCache>("pages");
        await pages.SetAsync("long", "abcd", cancellationToken: Token);
        Assert.Equal(0, host.Services.GetRequiredKeyedService<CacheStore>("pages").Count);
    }

    [Fact]
    public void SecondLevel_IsTheOneOfTheKey()
    {
        using var host = Build(services => services
            .AddKeyedCache("far", static options => options.MemoryLimitBytes = 16 << 20)
            .AddCacheHybridCache(Section("Hybrid", ("DistributedCacheServiceKey", "far"))));
        Assert.NotNull(host.Services.GetRequiredService<IOptions<HybridStoreOptions>>().Value.SecondLevel);
    }

    [Fact]
    public async Task Start_UseSecondLevelWithoutOne_IsRefused()
    {
        using var host = Build(services => services.AddCacheHybridCache(Section("Hybrid", ("UseSecondLevel", "TRUE"))));
        var refused = await Assert.ThrowsAsync<OptionsValidationException>(() => host.StartAsync(Token));
        Assert.Contains("UseSecondLevel is true; it needs", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Start_ReportsAllProblemsOfASectionAtOnce()
    {
        using var host = Build(services => services.AddCacheHybridCache(Section("Hybrid",
            ("MaximumPayloadByte", "1mb"), ("MaximumKeyLength", "0"), ("EagerRefreshThreshold", "often"),
            ("UseSecondLevel", "maybe"), ("DefaultEntryOptions:Expiraton", "60"), ("DefaultEntryOptions:Flags", "7"),
            ("FactoryHardTimeout", "soon"), ("MaximumReadyPayloadBytes", "9gb"), ("OnFailure:Log", "x"))));
        var refused = await Assert.ThrowsAsync<OptionsValidationException>(() => host.StartAsync(Token));
        string flags = string.Join(", ", Enum.GetNames<HybridCacheEntryFlags>());
        string names = string.Join(", ", HybridStoreOptionsSection.Keys.Select(static key => key.Name));
        Assert.Equal(
            [
                "Hybrid:DefaultEntryOptions:Expiraton is not a key of HybridStoreOptions; "
                + "did you mean DefaultEntryOptions:Expiration?",
                $"Hybrid:DefaultEntryOptions:Flags is '7'; it must be some of {flags}.",
                "Hybrid:EagerRefreshThreshold is 'often'; it must be a number.",
                "Hybrid:FactoryHardTimeout is 'soon'; it must be a number of seconds, or hours:minutes:seconds.",
                "Hybrid:MaximumKeyLength is 0; it must be between 1 and 65535.",
                "Hybrid:MaximumPayloadByte is not a key of HybridStoreOptions; did you mean MaximumPayloadBytes?",
                "Hybrid:MaximumReadyPayloadBytes is 2147483647; it must be between 0 and 536870912.",
                $"Hybrid:OnFailure is not a key of HybridStoreOptions; its keys are {names}.",
                "Hybrid:UseSecondLevel is 'maybe'; it must be true or false.",
            ],
            refused.Failures.Order(StringComparer.Ordinal));
    }

    [Fact]
    public async Task Start_TextWhereASectionBelongs_IsRefused()
    {
        using var host = Build(
            services => services.AddCacheHybridCache(Section("Hybrid", ("DefaultEntryOptions", "60"))));
        var refused = await Assert.ThrowsAsync<OptionsValidationException>(() => host.StartAsync(Token));
        Assert.StartsWith("Hybrid:DefaultEntryOptions is not a key", refused.Message, StringComparison.Ordinal);
    }

    [Fact]
    public void Keys_AreThePropertiesThatAreNoObjects() => Assert.Equal(
        typeof(HybridStoreOptions).GetProperties().Select(static property => property.Name)
            .Except(_objects).Except([nameof(HybridStoreOptions.DefaultEntryOptions)])
            .Concat(typeof(HybridCacheEntryOptions).GetProperties()
                .Select(static property => $"DefaultEntryOptions:{property.Name}"))
            .Order(StringComparer.Ordinal),
        HybridStoreOptionsSection.Keys.Select(static key => key.Name).Order(StringComparer.Ordinal));

    [Fact]
    public void Null_IsRefused()
    {
        var services = new ServiceCollection();
        Assert.Throws<ArgumentNullException>("section", () => services.AddCacheHybridCache((IConfiguration)null!));
        Assert.Throws<ArgumentNullException>(
            "serviceKey", () => services.AddKeyedCacheHybridCache(null!, Section("S")));
        Assert.Throws<ArgumentNullException>(
            "services", () => default(IServiceCollection)!.AddCacheHybridCache(Section("S")));
    }

    private static HybridStoreOptions Read(params (string Key, string Value)[] values)
    {
        using var host = Build(services => services.AddCacheHybridCache(Section("Hybrid", values)));
        return host.Services.GetRequiredService<IOptions<HybridStoreOptions>>().Value;
    }

    private static IConfigurationSection Section(string name, params (string Key, string Value)[] values) =>
        TestSection.Create(name, values);

    private static IHost Build(Action<IServiceCollection> configure) => TestHost.Build(configure);
}
