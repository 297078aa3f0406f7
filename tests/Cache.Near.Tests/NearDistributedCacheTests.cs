using System.Globalization;
using System.Text;
using Cache.Core.Hybrid;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Options;

namespace Cache.Near.Tests;

public sealed class NearDistributedCacheTests
{
    private static readonly DateTimeOffset _future = new(2100, 1, 1, 0, 0, 0, TimeSpan.Zero);

    private static CancellationToken Cancellation => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Set_Layout_IsThatOfTheFrameworksCache()
    {
        await using var redis = new FakeRedis();
        await using var provider = await StartAsync(redis);
        var cache = provider.GetRequiredService<IDistributedCache>();
        await cache.SetStringAsync(
            "1",
            "one",
            new DistributedCacheEntryOptions
            {
                AbsoluteExpiration = _future,
                SlidingExpiration = TimeSpan.FromMinutes(1),
            },
            Cancellation);
        Assert.Equal(_future.Ticks.ToString(CultureInfo.InvariantCulture), redis.Field("a:1", "absexp"));
        Assert.Equal("600000000", redis.Field("a:1", "sldexp"));
        Assert.Equal("one", redis.Field("a:1", "data"));
        Assert.Contains("PEXPIRE a:1 60000", redis.Requests);
        Assert.Equal("one", await cache.GetStringAsync("1", Cancellation));
    }

    [Fact]
    public async Task Set_NeverExpires_TakesAnEarlierLifeAway()
    {
        await using var redis = new FakeRedis();
        await using var provider = await StartAsync(redis);
        var cache = provider.GetRequiredService<IDistributedCache>();
        await cache.SetStringAsync("1", "one", new DistributedCacheEntryOptions(), Cancellation);
        Assert.Equal(("-1", "-1"), (redis.Field("a:1", "absexp"), redis.Field("a:1", "sldexp")));
        Assert.Contains("PERSIST a:1", redis.Requests);
        Assert.Equal("one", await cache.GetStringAsync("1", Cancellation));
        Assert.Equal("one", await cache.GetStringAsync("1", Cancellation));
        Assert.Equal(1, redis.CountOf("HMGET a:1 absexp sldexp data"));
        await cache.RemoveAsync("1", Cancellation);
        Assert.Null(await cache.GetAsync("1", Cancellation));
    }

    // Prolonging is a write that we are told of too: only what is read behind it is kept.
    [Fact]
    public async Task Get_SlidingEntry_IsProlongedOnceAndKept()
    {
        await using var redis = new FakeRedis();
        await using var provider = await StartAsync(redis);
        var cache = provider.GetRequiredService<IDistributedCache>();
        var near = provider.GetRequiredService<INearCache>();
        await cache.SetStringAsync(
            "1", "one", new DistributedCacheEntryOptions { SlidingExpiration = TimeSpan.FromHours(1) }, Cancellation);
        Assert.Equal("one", await cache.GetStringAsync("1", Cancellation));
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(Cancellation);
        limit.CancelAfter(TimeSpan.FromSeconds(30));
        while (near.Status.Entries == 0)
            await Task.Delay(5, limit.Token);
        for (int i = 0; i < 10; i++)
            Assert.Equal("one", await cache.GetStringAsync("1", Cancellation));
        Assert.Equal(2, redis.CountOf("PEXPIRE a:1 3600000")); // Of the write and of the first read.
        Assert.Equal(2, redis.CountOf("HMGET a:1 absexp sldexp data"));
    }

    // Without values of its own the hybrid cache reads here, and so keeps the promise.
    [Fact]
    public async Task Hybrid_WithoutLocalValues_SeesWhatOthersRemove()
    {
        await using var redis = new FakeRedis();
        await using var provider = Provide(redis, 60_000, static services => services.AddCacheHybridCache(Configure));
        var near = provider.GetRequiredService<NearCache>();
        await near.StartAsync(Cancellation);
        var hybrid = provider.GetRequiredService<HybridCache>();
        int made = 0;
        Assert.Equal("value 1", await MakeAsync());
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(Cancellation);
        limit.CancelAfter(TimeSpan.FromSeconds(30));
        while (redis.Field("a:1", "data") is null)
            await Task.Delay(5, limit.Token);
        Assert.Equal("value 1", await MakeAsync());
        Assert.Equal("value 1", await MakeAsync());
        redis.Delete("a:1");
        while (await MakeAsync() is "value 1")
            await Task.Delay(5, limit.Token);
        Assert.Equal("value 2", await MakeAsync());

        static void Configure(HybridStoreOptions options)
        {
            options.UseSecondLevel = true;
            options.DefaultEntryOptions = new() { Flags = HybridCacheEntryFlags.DisableLocalCache };
        }

        ValueTask<string> MakeAsync() => hybrid.GetOrCreateAsync(
            "1", _ => ValueTask.FromResult($"value {++made}"), cancellationToken: Cancellation);
    }

    [Fact]
    public async Task Start_WrongOptions_NamesEveryMistake()
    {
        var services = new ServiceCollection();
        services.AddCacheNear("localhost:1", options =>
        {
            options.MemoryLimitBytes = 1;
            options.MaximumAge = TimeSpan.Zero;
            options.KeyPrefixes.Add("a");
            options.KeyPrefixes.Add("ab");
        });
        await using var provider = services.BuildServiceProvider();
        var failure = Assert.Throws<OptionsValidationException>(() => provider.GetRequiredService<NearCache>());
        string[] expected =
        [
            "NearCacheOptions.KeyPrefixes has \"a\" and \"ab\"; one must not begin with the other.",
            "NearCacheOptions.MemoryLimitBytes is 1; it must be 1048576 or more.",
            "NearCacheOptions.MaximumAge is 00:00:00; it must be 10 ms to 1.00:00:00.",
        ];
        Assert.Equal(expected, failure.Failures);
    }

    [Fact]
    public void Options_NoPrefixes_AreRefused()
    {
        var options = new NearCacheOptions();
        options.Servers.EndPoints.Add("localhost");
        Assert.StartsWith("KeyPrefixes is empty", Assert.Single(options.FindProblems()), StringComparison.Ordinal);
        options.InstanceName = "shop:";
        Assert.Empty(options.FindProblems());
        Assert.Equal("shop:", Encoding.UTF8.GetString(Assert.Single(options.PrefixBytes())));
    }

    [Fact]
    public async Task Health_NoPrimary_IsDegraded()
    {
        await using var redis = new FakeRedis();
        await using var provider = Provide(redis, 300, static services => services.AddHealthChecks().AddCacheNear());
        await provider.GetRequiredService<NearCache>().StartAsync(Cancellation);
        var options = provider.GetRequiredService<IOptions<HealthCheckServiceOptions>>().Value;
        var registration = Assert.Single(options.Registrations);
        var check = registration.Factory(provider);
        var context = new HealthCheckContext { Registration = registration };
        using var limit = CancellationTokenSource.CreateLinkedTokenSource(Cancellation);
        limit.CancelAfter(TimeSpan.FromSeconds(30));
        while ((await check.CheckHealthAsync(context, limit.Token)).Status != HealthStatus.Healthy)
            await Task.Delay(5, limit.Token);
        redis.Role = "slave";
        while ((await check.CheckHealthAsync(context, limit.Token)).Status != HealthStatus.Degraded)
            await Task.Delay(5, limit.Token);
    }

    private static async Task<ServiceProvider> StartAsync(FakeRedis redis)
    {
        var provider = Provide(redis, 60_000, static _ => { });
        foreach (var service in provider.GetServices<IHostedService>())
            await service.StartAsync(Cancellation);
        return provider;
    }

    private static ServiceProvider Provide(FakeRedis redis, int boundMs, Action<IServiceCollection> add)
    {
        var services = new ServiceCollection();
        add(services);
        services.AddCacheNear(redis.EndPoint + ",replyTimeout=30000,connectTimeout=30000", options =>
        {
            options.InstanceName = "a:";
            options.StalenessBound = TimeSpan.FromMilliseconds(boundMs);
        });
        return services.BuildServiceProvider();
    }
}
