using System.Diagnostics.Metrics;

namespace Cache.Core.Diagnostics;

/// <summary>
/// The counters of stores and hybrid caches as instruments of a <see cref="Meter"/>, named as .NET names those of its
/// caches.
/// </summary>
/// <remarks>
/// Every instrument is observable: a collector gets a snapshot of counters that the stores keep in any case; without a
/// collector there is no cost. <c>AddCache</c> and <c>AddKeyedCache</c> observe their stores, under the name "default"
/// or the key; <c>AddCacheHybridCache</c> and <c>AddKeyedCacheHybridCache</c> their caches, under "default.hybrid" or
/// the key followed by ".hybrid". To observe other stores and caches:
/// <example><code>
/// using var store = new CacheStore(new CacheOptions());
/// using var metrics = new CacheMetrics();
/// metrics.Observe(store, "pages");
/// metrics.Observe(new StoreHybridCache(store, new HybridStoreOptions()), "pages.hybrid");
/// </code></example>
/// The instruments, each with the tag <c>dotnet.cache.name</c>:
/// <list type="table">
/// <item><term>dotnet.cache.requests</term>
/// <description>reads; the tag <c>dotnet.cache.request.result</c> is <c>hit</c> or <c>miss</c>, and of a hybrid cache's
/// hit <c>cache.tier</c> is <c>ready</c> or <c>store</c></description></item>
/// <item><term>dotnet.cache.evictions</term><description>entries removed to make room</description></item>
/// <item><term>dotnet.cache.entries</term><description>entries, over all keyspaces</description></item>
/// <item><term>dotnet.cache.estimated_size</term><description>bytes held, index and all</description></item>
/// <item><term>cache.expirations</term><description>entries removed because they had expired</description></item>
/// <item><term>cache.refused_writes</term><description>writes that found no room</description></item>
/// <item><term>cache.compressed.entries, .saved</term>
/// <description>entries whose values are kept compressed, and the bytes that this saves</description></item>
/// <item><term>cache.size_limit</term><description>the most bytes that may be held</description></item>
/// <item><term>cache.factory.calls, .failures, .timeouts, .joins</term>
/// <description>the calls of a hybrid cache's factories; a join is a call that waited for another call's
/// factory</description></item>
/// <item><term>cache.second_level.requests, .failures</term>
/// <description>the second level of a hybrid cache, requests by result as above</description></item>
/// <item><term>cache.stale_hits, cache.eager_refreshes, cache.tag_invalidations</term>
/// <description>expired values served, early renewals, invalidated tags</description></item>
/// <item><term>cache.uncached_values, cache.unusable_values</term>
/// <description>values that a hybrid cache did not keep, or that a serializer refused</description></item>
/// </list>
/// The stores' figures, summed over all observed stores of the process, are counters of the event source
/// <see cref="EventSourceName"/>, for dotnet-counters. Thread-safe.
/// </remarks>
public sealed partial class CacheMetrics : IDisposable
{
    /// <summary>The name of the meter.</summary>
    public const string MeterName = "Cache.Core";

    /// <summary>The name of the event source.</summary>
    public const string EventSourceName = CacheEventSource.SourceName;

    private const string NameTag = "dotnet.cache.name";
    private const string ResultTag = "dotnet.cache.request.result";

    private readonly Meter _meter;

    // Replaced as a whole, under the lock, when a store is added; read by collectors.
    private readonly Lock _gate = new();
    private volatile ObservedStore[] _stores = [];

    /// <summary>Creates a meter that every collector of the process sees.</summary>
    public CacheMetrics()
        : this(new Meter(MeterName))
    {
    }

    /// <summary>Creates a meter with a factory, so that a collector can select the meters of one container.</summary>
    /// <exception cref="ArgumentNullException">The factory is null.</exception>
    public CacheMetrics(IMeterFactory meterFactory)
        : this((meterFactory ?? throw new ArgumentNullException(nameof(meterFactory))).Create(MeterName))
    {
    }

    private CacheMetrics(Meter meter)
    {
        _meter = meter;
        meter.CreateObservableCounter(
            "dotnet.cache.requests", ObserveRequests, "{request}", "Reads that found, or did not find, a live entry.");
        meter.CreateObservableCounter(
            "dotnet.cache.evictions", () => Observe(static s => s.Evictions), "{eviction}",
            "Entries removed to make room.");
        meter.CreateObservableUpDownCounter(
            "dotnet.cache.entries", () => Observe(static s => s.Count), "{entry}", "Entries, over all keyspaces.");
        meter.CreateObservableGauge(
            "dotnet.cache.estimated_size", () => Observe(static s => s.MemoryBytes), "By",
            "Bytes held: keys, values and what the store keeps about them.");
        meter.CreateObservableCounter(
            "cache.expirations", () => Observe(static s => s.Expirations), "{entry}",
            "Entries removed because they had expired.");
        meter.CreateObservableCounter(
            "cache.refused_writes", () => Observe(static s => s.RefusedWrites), "{write}",
            "Writes that found no room.");
        meter.CreateObservableUpDownCounter(
            "cache.compressed.entries", () => Observe(static s => s.CompressedCount), "{entry}",
            "Entries whose values are kept compressed.");
        meter.CreateObservableUpDownCounter(
            "cache.compressed.saved", () => Observe(static s => s.CompressedValueBytes - s.CompressedBytes), "By",
            "Bytes that compressed values are shorter.");
        meter.CreateObservableGauge(
            "cache.size_limit", () => Observe(static s => s.MemoryLimitBytes), "By",
            "The most bytes that may be held.");
        CreateHybridInstruments();
    }

    /// <summary>Observes a store until this object is disposed; for a disposed store, its last counters.</summary>
    /// <param name="store">The store; one that is observed already stays as it is.</param>
    /// <param name="name">The value of the tag <c>dotnet.cache.name</c>, unique for each store.</param>
    /// <exception cref="ArgumentNullException">An argument is null.</exception>
    public void Observe(CacheStore store, string name)
    {
        ArgumentNullException.ThrowIfNull(store);
        ArgumentNullException.ThrowIfNull(name);
        lock (_gate)
        {
            if (Array.Exists(_stores, observed => observed.Store == store))
                return;
            _stores = [.. _stores, new ObservedStore(store, name)];
        }

        CacheEventSource.Log.Add(store);
    }

    /// <summary>Ends the observation of all stores and hybrid caches.</summary>
    public void Dispose()
    {
        _meter.Dispose();
        ObservedStore[] stores;
        lock (_gate)
        {
            stores = _stores;
            _stores = [];
            _hybridCaches = [];
        }

        foreach (var observed in stores)
            CacheEventSource.Log.Remove(observed.Store);
    }

    /// <summary>The name that registrations give to a store with named options.</summary>
    internal static string NameOf(string optionsName) => optionsName.Length == 0 ? "default" : optionsName;

    private IEnumerable<Measurement<long>> ObserveRequests() => [.. ObserveStoreRequests(), .. ObserveHybridRequests()];

    private IEnumerable<Measurement<long>> ObserveStoreRequests()
    {
        foreach (var (store, name) in _stores)
        {
            var statistics = store.GetStatistics();
            yield return new(statistics.Hits, new(NameTag, name), new(ResultTag, "hit"));
            yield return new(statistics.Misses, new(NameTag, name), new(ResultTag, "miss"));
        }
    }

    private IEnumerable<Measurement<long>> Observe(Func<CacheStatistics, long> value)
    {
        foreach (var (store, name) in _stores)
            yield return new(value(store.GetStatistics()), new KeyValuePair<string, object?>(NameTag, name));
    }

    private sealed record ObservedStore(CacheStore Store, string Name);
}
