using System.Diagnostics.Metrics;
using Cache.Core.Hybrid;

namespace Cache.Core.Diagnostics;

/// <summary>The instruments of hybrid caches, which also count what their stores do not see.</summary>
public sealed partial class CacheMetrics
{
    private const string TierTag = "cache.tier";

    // Replaced as a whole, under the lock, when a cache is added; read by collectors.
    private volatile ObservedHybridCache[] _hybridCaches = [];

    /// <summary>Observes a hybrid cache until this object is disposed.</summary>
    /// <param name="cache">The cache; one that is observed already stays as it is.</param>
    /// <param name="name">
    /// The value of the tag <c>dotnet.cache.name</c>, unique among caches and stores: the reads of a hybrid cache are
    /// also reads of its store.
    /// </param>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    public void Observe(StoreHybridCache cache, string name)
    {
        ArgumentNullException.ThrowIfNull(cache);
        ArgumentNullException.ThrowIfNull(name);
        lock (_gate)
        {
            if (Array.Exists(_hybridCaches, observed => observed.Cache == cache))
                return;
            _hybridCaches = [.. _hybridCaches, new ObservedHybridCache(cache, name)];
        }
    }

    private void CreateHybridInstruments()
    {
        _meter.CreateObservableCounter(
            "cache.second_level.requests", ObserveSecondLevel, "{request}",
            "Values that were looked for in a hybrid cache's second level.");
        Create("cache.second_level.failures", "{failure}", "Operations of the second level that threw.",
            static s => s.SecondLevelFailures);
        Create("cache.factory.calls", "{call}", "Calls of factories.", static s => s.FactoryCalls);
        Create("cache.factory.failures", "{failure}", "Factories that threw.", static s => s.FactoryFailures);
        Create("cache.factory.timeouts", "{call}", "Calls that did not wait for a factory any longer.",
            static s => s.FactoryTimeouts);
        Create("cache.factory.joins", "{call}", "Calls that waited for a factory that another one had started.",
            static s => s.Joins);
        Create("cache.eager_refreshes", "{refresh}", "Factories that were started before an entry had expired.",
            static s => s.EagerRefreshes);
        Create("cache.stale_hits", "{request}", "Calls that were answered by an expired value.",
            static s => s.StaleHits);
        Create("cache.tag_invalidations", "{invalidation}", "Tags that were invalidated.",
            static s => s.Invalidations);
        Create("cache.uncached_values", "{value}", "Values that were too long, found no room, or had no usable key.",
            static s => s.RejectedKeys + s.RejectedPayloads);
        Create("cache.unusable_values", "{value}", "Values that a serializer could not write or read.",
            static s => s.UnusableValues);
    }

    private void Create(string name, string unit, string description, Func<HybridStatistics, long> value) =>
        _meter.CreateObservableCounter(name, () => ObserveHybrid(value), unit, description);

    private IEnumerable<Measurement<long>> ObserveHybridRequests()
    {
        foreach (var (cache, name) in _hybridCaches)
        {
            var statistics = cache.GetStatistics();
            yield return new(statistics.ReadyHits, new(NameTag, name), new(ResultTag, "hit"), new(TierTag, "ready"));
            yield return new(statistics.StoreHits, new(NameTag, name), new(ResultTag, "hit"), new(TierTag, "store"));
            yield return new(statistics.Misses, new(NameTag, name), new(ResultTag, "miss"));
        }
    }

    private IEnumerable<Measurement<long>> ObserveSecondLevel()
    {
        foreach (var (cache, name) in _hybridCaches)
        {
            var statistics = cache.GetStatistics();
            yield return new(statistics.SecondLevelHits, new(NameTag, name), new(ResultTag, "hit"));
            yield return new(statistics.SecondLevelMisses, new(NameTag, name), new(ResultTag, "miss"));
        }
    }

    private IEnumerable<Measurement<long>> ObserveHybrid(Func<HybridStatistics, long> value)
    {
        foreach (var (cache, name) in _hybridCaches)
            yield return new(value(cache.GetStatistics()), new KeyValuePair<string, object?>(NameTag, name));
    }

    private sealed record ObservedHybridCache(StoreHybridCache Cache, string Name);
}
