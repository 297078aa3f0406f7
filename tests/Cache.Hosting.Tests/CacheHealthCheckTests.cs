using Cache.Core;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Diagnostics.HealthChecks;

namespace Cache.Hosting.Tests;

public sealed class CacheHealthCheckTests : IDisposable
{
    private const int LimitBytes = 16 << 20;

    private readonly FakeTimeProvider _time = new();
    private readonly ServiceProvider _provider;

    public CacheHealthCheckTests()
    {
        var services = new ServiceCollection()
            .AddLogging()
            .AddSingleton<TimeProvider>(_time)
            .AddCache(static o => (o.MemoryLimitBytes, o.Eviction) = (LimitBytes, EvictionPolicy.None))
            .AddKeyedCache("pages", static o => o.MemoryLimitBytes = LimitBytes);
        services.AddHealthChecks().AddCacheStore().AddCacheStore("pages", TimeSpan.FromSeconds(5));
        _provider = services.BuildServiceProvider();
    }

    [Fact]
    public async Task Store_ThatTakesWrites_IsHealthy()
    {
        _provider.GetRequiredService<CacheStore>().Set("k"u8, "v"u8);
        var entry = await CheckAsync("cache");
        Assert.Equal((HealthStatus.Healthy, "The store takes writes."), (entry.Status, entry.Description));
        Assert.Equal((1L, (long)LimitBytes), (entry.Data["entries"], entry.Data["limitBytes"]));
        Assert.Equal(["cache"], entry.Tags);
    }

    [Fact]
    public async Task Store_ThatRefusedAWrite_IsDegradedForItsWindow()
    {
        var store = _provider.GetRequiredService<CacheStore>();
        Assert.Equal(WriteStatus.OutOfMemory, store.Set("k"u8, new byte[2 * LimitBytes]));
        _time.Advance(59_999);
        var entry = await CheckAsync("cache");
        Assert.Equal(HealthStatus.Degraded, entry.Status);
        Assert.Equal(
            $"The store refuses writes, the last 59999 ms ago: it holds {store.GetStatistics().MemoryBytes} of "
            + $"{LimitBytes} bytes, and may evict nothing (None). Raise MemoryLimitBytes, or let it evict more.",
            entry.Description);
        _time.Advance(1);
        Assert.Equal(HealthStatus.Healthy, (await CheckAsync("cache")).Status);
    }

    [Fact]
    public async Task KeyedStore_HasACheckAndAWindowOfItsOwn()
    {
        var pages = _provider.GetRequiredKeyedService<CacheStore>("pages");
        pages.Set("k"u8, new byte[2 * LimitBytes]);
        Assert.Equal(HealthStatus.Degraded, (await CheckAsync("cache:pages")).Status);
        Assert.Equal(HealthStatus.Healthy, (await CheckAsync("cache")).Status);
        _time.Advance(5_000);
        Assert.Equal(HealthStatus.Healthy, (await CheckAsync("cache:pages")).Status);
    }

    [Fact]
    public async Task Store_ThatWasDisposed_IsUnhealthy()
    {
        _provider.GetRequiredService<CacheStore>().Dispose();
        var entry = await CheckAsync("cache");
        Assert.Equal((HealthStatus.Unhealthy, "The store was disposed."), (entry.Status, entry.Description));
        Assert.Equal(HealthStatus.Healthy, (await CheckAsync("cache:pages")).Status);
    }

    [Fact]
    public async Task Check_NoSuchStore_SaysWhatRegistersIt()
    {
        Assert.Equal("There is no cache to check: AddCache registers it.", await FailureOf(c => c.AddCacheStore()));
        Assert.Equal(
            "There is no cache with the key 'pgaes' to check: AddKeyedCache registers it.",
            await FailureOf(c => c.AddCacheStore("pgaes")));

        static async Task<string> FailureOf(Action<IHealthChecksBuilder> add)
        {
            var services = new ServiceCollection().AddLogging();
            add(services.AddHealthChecks());
            await using var provider = services.BuildServiceProvider();
            var service = provider.GetRequiredService<HealthCheckService>();
            var failure = await Assert.ThrowsAsync<InvalidOperationException>(
                () => service.CheckHealthAsync(TestContext.Current.CancellationToken));
            return failure.Message;
        }
    }

    [Fact]
    public void AddCacheStore_WrongArguments_AreRefused()
    {
        var builder = new ServiceCollection().AddHealthChecks();
        Assert.Throws<ArgumentOutOfRangeException>("window", () => builder.AddCacheStore(TimeSpan.Zero));
        Assert.Throws<ArgumentNullException>("serviceKey", () => builder.AddCacheStore(null!));
        Assert.Throws<ArgumentNullException>("builder", () => default(IHealthChecksBuilder)!.AddCacheStore());
    }

    public void Dispose() => _provider.Dispose();

    private async Task<HealthReportEntry> CheckAsync(string name)
    {
        var report = await _provider.GetRequiredService<HealthCheckService>()
            .CheckHealthAsync(TestContext.Current.CancellationToken);
        return report.Entries[name];
    }
}
