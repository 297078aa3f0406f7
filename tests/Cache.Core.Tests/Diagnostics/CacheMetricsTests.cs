using System.Diagnostics.Metrics;
using Cache.Core.Diagnostics;
using Microsoft.Extensions.Caching.Distributed;
using Microsoft.Extensions.DependencyInjection;

namespace Cache.Core.Tests.Diagnostics;

public sealed class CacheMetricsTests : IDisposable
{
    private readonly StoreFixture _fixture = new(static options => options.Eviction = EvictionPolicy.None);
    private readonly TestMeterFactory _meters = new();
    private readonly CacheMetrics _metrics;

    public CacheMetricsTests()
    {
        _metrics = new CacheMetrics(_meters);
        _metrics.Observe(_fixture.Store, "pages");
    }

    [Fact]
    public void Instruments_ShowTheStoresCounters()
    {
        _fixture.Set("a", "1");
        _fixture.Set("b", "2", StoreFixture.ExpiringAt(_fixture.NowMs + 10));
        _fixture.Get("a");
        _fixture.Get("a");
        _fixture.Get("missing");
        _fixture.Clock.Advance(10);
        _fixture.Get("b");
        _fixture.Store.Set("c"u8, new byte[2 * StoreFixture.MemoryLimitBytes]);
        var statistics = _fixture.Store.GetStatistics();
        Assert.Equal(
            [
                "cache.compressed.entries 0 name=pages",
                "cache.compressed.saved 0 name=pages",
                $"cache.expirations {statistics.Expirations} name=pages",
                "cache.refused_writes 1 name=pages",
                $"cache.size_limit {StoreFixture.MemoryLimitBytes} name=pages",
                "dotnet.cache.entries 1 name=pages",
                $"dotnet.cache.estimated_size {statistics.MemoryBytes} name=pages",
                "dotnet.cache.evictions 0 name=pages",
                "dotnet.cache.requests 2 name=pages result=hit",
                "dotnet.cache.requests 2 name=pages result=miss",
            ],
            _meters.Collect());
        Assert.Equal(1, statistics.Expirations);
    }

    [Fact]
    public void Instruments_OfADisposedStore_ShowItsLastCounters()
    {
        _fixture.Set("a", "1");
        _fixture.Get("a");
        _fixture.Get("missing");
        _fixture.Store.Dispose();
        var lines = _meters.Collect();
        Assert.Contains("dotnet.cache.requests 1 name=pages result=hit", lines);
        Assert.Contains("dotnet.cache.requests 1 name=pages result=miss", lines);
        Assert.Contains("dotnet.cache.entries 1 name=pages", lines);
        Assert.Equal(10, lines.Count);
    }

    [Fact]
    public void Instruments_ShowEachStoreUnderItsName()
    {
        using var other = new StoreFixture();
        _metrics.Observe(other.Store, "data");
        _metrics.Observe(other.Store, "again");
        other.Set("a", "1");
        Assert.Equal(
            ["dotnet.cache.entries 0 name=pages", "dotnet.cache.entries 1 name=data"],
            _meters.Collect().Where(static line => line.StartsWith("dotnet.cache.entries", StringComparison.Ordinal)));
    }

    [Fact]
    public void Dispose_EndsTheObservation()
    {
        _metrics.Dispose();
        Assert.Empty(_meters.Collect());
    }

    [Fact]
    public void Store_ThatWasDisposedFirst_ShowsItsLastCounters()
    {
        _fixture.Set("a", "1");
        _fixture.Dispose();
        Assert.Contains("dotnet.cache.entries 1 name=pages", _meters.Collect());
    }

    [Fact]
    public void AddCache_ObservesEveryStoreThatTheContainerMakes()
    {
        using var provider = new ServiceCollection()
            .AddSingleton<IMeterFactory>(_meters)
            .AddCache(static o => o.MemoryLimitBytes = StoreFixture.MemoryLimitBytes)
            .AddKeyedCache("data", static o => o.MemoryLimitBytes = StoreFixture.MemoryLimitBytes)
            .BuildServiceProvider();
        provider.GetRequiredService<IDistributedCache>().Set("k", []);
        provider.GetRequiredKeyedService<IDistributedCache>("data").Set("k", []);
        provider.GetRequiredKeyedService<IDistributedCache>("data").Set("l", []);
        var lines = _meters.Collect();
        Assert.Contains("dotnet.cache.entries 1 name=default", lines);
        Assert.Contains("dotnet.cache.entries 2 name=data", lines);
    }

    [Fact]
    public void AddCache_ExistingStore_IsObserved()
    {
        _fixture.Set("a", "1");
        using var provider = new ServiceCollection()
            .AddSingleton<IMeterFactory>(_meters)
            .AddCache(_fixture.Store)
            .BuildServiceProvider();
        provider.GetRequiredService<IDistributedCache>();
        Assert.Contains("dotnet.cache.entries 1 name=default", _meters.Collect());
    }

    [Fact]
    public void AddCache_WithoutAMeterFactory_IsObservedByTheWholeProcess()
    {
        using var provider = new ServiceCollection().AddCache(_fixture.Store).BuildServiceProvider();
        using var listener = new MeterListener();
        var seen = new List<string>();
        listener.InstrumentPublished = (instrument, its) =>
        {
            if (instrument.Meter is { Name: CacheMetrics.MeterName, Scope: null })
                seen.Add(instrument.Name);
        };
        provider.GetRequiredService<IDistributedCache>();
        listener.Start();
        Assert.Contains("dotnet.cache.requests", seen);
    }

    [Fact]
    public void Null_IsRefused()
    {
        Assert.Throws<ArgumentNullException>("meterFactory", () => new CacheMetrics(null!));
        Assert.Throws<ArgumentNullException>("store", () => _metrics.Observe((CacheStore)null!, ""));
        Assert.Throws<ArgumentNullException>("name", () => _metrics.Observe(_fixture.Store, null!));
    }

    public void Dispose()
    {
        _metrics.Dispose();
        _meters.Dispose();
        _fixture.Dispose();
    }
}
