using System.Diagnostics.Metrics;
using Cache.Core.Diagnostics;
using Cache.Core.Hybrid;
using Cache.Core.Tests.Hybrid;
using Microsoft.Extensions.Caching.Hybrid;
using Microsoft.Extensions.DependencyInjection;

namespace Cache.Core.Tests.Diagnostics;

/// <summary>What a hybrid cache counts, as collectors see it.</summary>
public sealed class HybridMetricsTests : IDisposable
{
    private readonly TestMeterFactory _meters = new();
    private readonly CacheMetrics _metrics;

    public HybridMetricsTests() => _metrics = new CacheMetrics(_meters);

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Instruments_ShowHitsByTierFactoriesAndInvalidations()
    {
        using var fixture = new HybridFixture();
        _metrics.Observe(fixture.Cache, "pages.hybrid");
        await fixture.Get("text", "value"); // A miss and a factory; the next reads it, then it is ready.
        await fixture.Get("text", "value");
        await fixture.Get("text", "value");
        await fixture.Get("text", "value");
        await fixture.Get("order", new byte[3], tags: ["t"]);
        await fixture.Cache.RemoveByTagAsync("t", Token);
        await fixture.Get(new string('k', fixture.Options.MaximumKeyLength + 1), 1);
        AssertShown(
            "dotnet.cache.requests 3 name=pages.hybrid result=miss",
            "dotnet.cache.requests 2 name=pages.hybrid result=hit tier=ready",
            "dotnet.cache.requests 1 name=pages.hybrid result=hit tier=store",
            "cache.factory.calls 3 name=pages.hybrid",
            "cache.factory.failures 0 name=pages.hybrid",
            "cache.tag_invalidations 1 name=pages.hybrid",
            "cache.uncached_values 1 name=pages.hybrid",
            "cache.unusable_values 0 name=pages.hybrid");
    }

    [Fact]
    public async Task Instruments_ShowJoinsFailuresAndStaleHits()
    {
        using var fixture = new HybridFixture(
            static options => options.FailSafeMaximumDuration = TimeSpan.FromHours(1));
        _metrics.Observe(fixture.Cache, "h");
        var release = new TaskCompletionSource();
        Func<CancellationToken, ValueTask<int>> slow = async _ =>
        {
            await release.Task;
            return 7;
        };
        var first = fixture.Cache.GetOrCreateAsync("k", slow, HybridFixture.Minute, cancellationToken: Token);
        var second = fixture.Cache.GetOrCreateAsync("k", slow, HybridFixture.Minute, cancellationToken: Token);
        release.SetResult();
        Assert.Equal((7, 7), (await first, await second));
        fixture.Time.Advance(TimeSpan.FromMinutes(2));
        Assert.Equal(7, await fixture.Cache.GetOrCreateAsync<int>(
            "k", static _ => throw new InvalidOperationException(), HybridFixture.Minute, cancellationToken: Token));
        AssertShown(
            "cache.factory.joins 1 name=h",
            "cache.factory.calls 2 name=h",
            "cache.factory.failures 1 name=h",
            "cache.stale_hits 1 name=h",
            "cache.eager_refreshes 0 name=h",
            "cache.factory.timeouts 0 name=h");
    }

    [Fact]
    public async Task Instruments_ShowTheSecondLevel()
    {
        var far = new FarCache();
        using var fixture = new HybridFixture(options => options.SecondLevel = far);
        _metrics.Observe(fixture.Cache, "h");
        await fixture.Get("k", "value");
        // A removal while the flight still ends would make what it wrote there void.
        await HybridFixture.Until(() => far.Keys.Count > 0 && fixture.Cache.IsIdle);
        fixture.Store.Remove("k"u8);
        await fixture.Get("k", "value");
        AssertShown(
            "cache.second_level.requests 1 name=h result=hit",
            "cache.second_level.requests 1 name=h result=miss",
            "cache.second_level.failures 0 name=h");
    }

    [Fact]
    public void Observe_Twice_CountsOnce()
    {
        using var fixture = new HybridFixture();
        _metrics.Observe(fixture.Cache, "one");
        _metrics.Observe(fixture.Cache, "two");
        Assert.DoesNotContain(_meters.Collect(), static line => line.Contains("name=two", StringComparison.Ordinal));
    }

    [Fact]
    public void Dispose_EndsTheObservation()
    {
        using var fixture = new HybridFixture();
        _metrics.Observe(fixture.Cache, "h");
        _metrics.Dispose();
        Assert.Empty(_meters.Collect());
    }

    [Fact]
    public async Task AddCacheHybridCache_ObservesEveryCache()
    {
        await using var provider = new ServiceCollection()
            .AddSingleton<IMeterFactory>(_meters)
            .AddCache(static o => o.MemoryLimitBytes = StoreFixture.MemoryLimitBytes)
            .AddKeyedCache("data", static o => o.MemoryLimitBytes = StoreFixture.MemoryLimitBytes)
            .AddCacheHybridCache()
            .AddKeyedCacheHybridCache("data", static _ => { })
            .BuildServiceProvider();
        await provider.GetRequiredService<HybridCache>().GetOrCreateAsync(
            "k", static _ => new ValueTask<int>(1), cancellationToken: Token);
        provider.GetRequiredKeyedService<HybridCache>("data");
        AssertShown(
            "dotnet.cache.requests 1 name=default.hybrid result=miss",
            "dotnet.cache.requests 0 name=data.hybrid result=miss",
            "cache.factory.calls 1 name=default.hybrid",
            "dotnet.cache.entries 1 name=default");
    }

    [Fact]
    public void Null_IsRefused()
    {
        using var fixture = new HybridFixture();
        Assert.Throws<ArgumentNullException>("cache", () => _metrics.Observe((StoreHybridCache)null!, ""));
        Assert.Throws<ArgumentNullException>("name", () => _metrics.Observe(fixture.Cache, null!));
    }

    public void Dispose()
    {
        _metrics.Dispose();
        _meters.Dispose();
    }

    private void AssertShown(params string[] lines)
    {
        var shown = _meters.Collect();
        foreach (string line in lines)
            Assert.Contains(line, shown);
    }
}
