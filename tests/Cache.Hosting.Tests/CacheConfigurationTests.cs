using Cache.Core;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Configuration;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace Cache.Hosting.Tests;

public sealed class CacheConfigurationTests
{
    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public void AddCache_Section_SetsTheOptions()
    {
        using var host = Build(
            services => services.AddCache(Section("Cache",
                ("MemoryLimitBytes", "32mb"), ("eviction", "expiringentries"), ("PromotionThreshold", "3"),
                ("EstimatesHitRatios", "no"),
                ("ShardCount", "8"), ("KeyspaceCount", "2"), ("ValueLengthMax", "1kb"))));
        var options = host.Services.GetRequiredService<IOptions<CacheOptions>>().Value;
        Assert.Equal((32 << 20, EvictionPolicy.ExpiringEntries), (options.MemoryLimitBytes, options.Eviction));
        Assert.False(options.EstimatesHitRatios);
        Assert.Equal((3, 8, 2), (options.PromotionThreshold, options.ShardCount, options.KeyspaceCount));
        Assert.Equal(1024, options.ValueLengthMax);
        Assert.Equal(32 << 20, host.Services.GetRequiredService<CacheStore>().MemoryLimitBytes);
        Assert.NotNull(host.Services.GetService<IDistributedCache>());
    }

    [Theory]
    [InlineData("16777216", 16_777_216)]
    [InlineData("17M", 17_000_000)]
    public void MemoryLimit_IsBytesOrAnAmount(string text, long bytes) => Assert.Equal(bytes, ReadLimit(text));

    [Fact]
    public void MemoryLimit_Percent_IsOfTheMemoryThatTheProcessMayUse() =>
        Assert.Equal(CacheOptions.AvailableMemoryBytes / 10, ReadLimit("10%"));

    [Fact]
    public void AddCacheStore_Section_LeavesTheDistributedCacheAlone()
    {
        using var host = Build(services => services.AddCacheStore(Section("Cache", ("MemoryLimitBytes", "32mb"))));
        Assert.Equal(32 << 20, host.Services.GetRequiredService<CacheStore>().MemoryLimitBytes);
        Assert.Null(host.Services.GetService<IDistributedCache>());
    }

    [Fact]
    public void KeyedStores_HaveSectionsOfTheirOwn()
    {
        using var host = Build(services => services
            .AddCache(Section("Cache", ("MemoryLimitBytes", "32mb")))
            .AddKeyedCache("pages", Section("Pages", ("MemoryLimitBytes", "8mb"), ("KeyspaceCount", "1")))
            .AddKeyedCache("data", Section("Data", ("MemoryLimitBytes", "4mb"))));
        var services = host.Services;
        Assert.Equal(32 << 20, services.GetRequiredService<CacheStore>().MemoryLimitBytes);
        Assert.Equal(8 << 20, services.GetRequiredKeyedService<CacheStore>("pages").MemoryLimitBytes);
        Assert.Equal(1, services.GetRequiredKeyedService<CacheStore>("pages").KeyspaceCount);
        Assert.Equal(4 << 20, services.GetRequiredKeyedService<CacheStore>("data").MemoryLimitBytes);
        Assert.Equal(16, services.GetRequiredKeyedService<CacheStore>("data").KeyspaceCount);
    }

    [Fact]
    public void AddCache_SectionAndAction_RunInTheirOrder()
    {
        using var host = Build(services => services
            .AddCache(Section("Cache", ("KeyspaceCount", "3"), ("ShardCount", "2")))
            .AddCache(static options => options.KeyspaceCount *= 2));
        var options = host.Services.GetRequiredService<IOptions<CacheOptions>>().Value;
        Assert.Equal((6, 2), (options.KeyspaceCount, options.ShardCount));
    }

    [Fact]
    public async Task Start_ReportsAllProblemsOfASectionAtOnce()
    {
        using var host = Build(services => services.AddCache(Section("Cache",
            ("MemoryLimitByte", "32mb"), ("Eviction", "lru"), ("ShardCount", "3"), ("KeyspaceCount", "many"),
            ("ValueLengthMax", "9gb"), ("Colour", "blue"))));
        var refused = await Assert.ThrowsAsync<OptionsValidationException>(() => host.StartAsync(Token));
        Assert.Equal(
            [
                "Cache:Colour is not a key of CacheOptions; its keys are MemoryLimitBytes, Eviction, "
                + "PromotionThreshold, Compression, EstimatesHitRatios, ShardCount, KeyspaceCount, ValueLengthMax.",
                "Cache:Eviction is 'lru'; it must be one of None, AllEntries, ExpiringEntries.",
                "Cache:KeyspaceCount is 'many'; it must be an integer.",
                "Cache:MemoryLimitByte is not a key of CacheOptions; did you mean MemoryLimitBytes?",
                "Cache:ShardCount is 3; it must be a power of two.",
                "Cache:ValueLengthMax is 2147483647; it must be between 1 and 536870912.",
            ],
            refused.Failures.Order(StringComparer.Ordinal));
    }

    [Fact]
    public async Task Start_ReportsTheProblemsOfAllSections()
    {
        using var host = Build(services => services
            .AddCache(Section("Cache", ("MemoryLimitBytes", "120%")))
            .AddKeyedCache("pages", Section("Pages", ("Shards", "2")))
            .AddCacheServer(Section("Server", ("Prot", "0"), ("Port", "0"))));
        var refused = await Assert.ThrowsAsync<AggregateException>(() => host.StartAsync(Token));
        var failures = refused.InnerExceptions.Cast<OptionsValidationException>().SelectMany(static e => e.Failures);
        Assert.Equal(
            [
                "Cache:MemoryLimitBytes is '120%'; it must be bytes, an amount such as 512mb, or such as 25% of the "
                + "machine's or container's memory.",
                "Pages:Shards is not a key of CacheOptions; its keys are MemoryLimitBytes, Eviction, "
                + "PromotionThreshold, Compression, EstimatesHitRatios, ShardCount, KeyspaceCount, ValueLengthMax.",
                "Server:Prot is not a key of RespServerOptions; did you mean Port?",
            ],
            failures.Order(StringComparer.Ordinal));
    }

    // A misspelt name of a section would else give the defaults, and nobody would know.
    [Fact]
    public async Task Start_SectionIsNotThere_SaysSo()
    {
        var configuration = new ConfigurationBuilder().AddInMemoryCollection([new("Cache:ShardCount", "2")]).Build();
        using var host = Build(services => services.AddCache(configuration.GetSection("Cahce")));
        var refused = await Assert.ThrowsAsync<OptionsValidationException>(() => host.StartAsync(Token));
        Assert.Equal(
            [
                "Cahce is not a section of the configuration, or is empty; set a key of it, or register without a "
                + "section for the defaults.",
            ],
            refused.Failures);
    }

    [Theory]
    [InlineData("Cach", "Cach is not a section of the configuration; did you mean Cache?")]
    [InlineData("Stores:Page", "Stores:Page is not a section of the configuration; did you mean Stores:Pages?")]
    public async Task Start_SectionIsMisspelt_NamesTheNearest(string path, string problem)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        builder.Configuration.AddInMemoryCollection(
            [new("Cache:ShardCount", "2"), new("Stores:Pages:ShardCount", "2")]);
        builder.Services.AddCache(builder.Configuration.GetSection(path));
        using var host = builder.Build();
        var refused = await Assert.ThrowsAsync<OptionsValidationException>(() => host.StartAsync(Token));
        Assert.Equal([problem], refused.Failures);
    }

    // In JSON: { }, null, "" and 5. An empty one is named as it is, and not as what was meant.
    [Theory]
    [InlineData(null, "Pages is not a section of the configuration, or is empty; set a key of it, or register without "
        + "a section for the defaults.")]
    [InlineData("", "Pages is not a section of the configuration, or is empty; set a key of it, or register without a "
        + "section for the defaults.")]
    [InlineData("64mb", "Pages is '64mb'; it must be a section, with keys such as MemoryLimitBytes.")]
    public async Task Start_SectionHasNoKeys_SaysSo(string? value, string problem)
    {
        var builder = Host.CreateEmptyApplicationBuilder(new HostApplicationBuilderSettings());
        builder.Configuration.AddInMemoryCollection([new("Pages", value), new("Cache:ShardCount", "2")]);
        builder.Services.AddCache(builder.Configuration.GetSection("Pages"));
        using var host = builder.Build();
        var refused = await Assert.ThrowsAsync<OptionsValidationException>(() => host.StartAsync(Token));
        Assert.Equal([problem], refused.Failures);
    }

    [Fact]
    public async Task Start_BeginningOfAKey_NamesTheKey()
    {
        using var host = Build(services => services.AddCache(Section("Cache", ("MemoryLimit", "32mb"))));
        var refused = await Assert.ThrowsAsync<OptionsValidationException>(() => host.StartAsync(Token));
        Assert.Equal(
            ["Cache:MemoryLimit is not a key of CacheOptions; did you mean MemoryLimitBytes?"], refused.Failures);
    }

    [Fact]
    public void Keys_AreTheProperties() => Assert.Equal(
        typeof(CacheOptions).GetProperties().Where(static property => property.CanWrite)
            .Select(static property => property.Name).Order(),
        CacheOptionsSection.Keys.Select(static key => key.Name).Order());

    [Fact]
    public void Null_IsRefused()
    {
        var services = new ServiceCollection();
        Assert.Throws<ArgumentNullException>("section", () => services.AddCache((IConfiguration)null!));
        Assert.Throws<ArgumentNullException>("section", () => services.AddCacheServer((IConfiguration)null!));
        Assert.Throws<ArgumentNullException>("serviceKey", () => services.AddKeyedCache(null!, Section("S")));
        Assert.Throws<ArgumentNullException>(
            "services", () => default(IServiceCollection)!.AddCacheStore(Section("S")));
    }

    private static long ReadLimit(string text)
    {
        using var host = Build(services => services.AddCache(Section("Cache", ("MemoryLimitBytes", text))));
        return host.Services.GetRequiredService<IOptions<CacheOptions>>().Value.MemoryLimitBytes;
    }

    private static IConfigurationSection Section(string name, params (string Key, string Value)[] values) =>
        TestSection.Create(name, values);

    private static IHost Build(Action<IServiceCollection> configure) => TestHost.Build(configure);
}
