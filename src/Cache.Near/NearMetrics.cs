using System.Diagnostics.Metrics;

namespace Cache.Near;

/// <summary>
/// The figures of a near cache as instruments of the meter "Cache.Near"; observed, so that nobody pays unread.
/// </summary>
internal sealed class NearMetrics : IDisposable
{
    public const string MeterName = "Cache.Near";

    private readonly NearCache _cache;
    private readonly Meter _meter;

    public NearMetrics(NearCache cache, IMeterFactory? factory)
    {
        _cache = cache;
        _meter = factory?.Create(MeterName) ?? new Meter(MeterName);
        _meter.CreateObservableCounter(
            "cache.near.reads", ObserveReads, "{read}", "Reads by what answered them: hit, fill, join, unreachable.");
        Count("cache.near.bypasses", "{read}", "Reads while no heartbeat was answered.", static s => s.Bypasses);
        Count("cache.near.outside", "{read}", "Reads of keys with none of the prefixes.", static s => s.Outside);
        Count("cache.near.pushes", "{key}", "Keys that servers told of.", static s => s.Pushes);
        Count("cache.near.pushes.useful", "{key}", "Of these, those that were kept here.", static s => s.UsefulPushes);
        Count("cache.near.clears", "{clear}", "Times that a primary's entries were dropped.", static s => s.Clears);
        _meter.CreateObservableGauge(
            "cache.near.coherent", () => _cache.Status.IsCoherent ? 1 : 0, null, "1 while local entries count.");
        _meter.CreateObservableGauge(
            "cache.near.listening",
            () => _cache.Status.IsListening ? 1 : 0,
            null,
            "1 while other processes' own writes are heard of, with TimeOnly.");
        _meter.CreateObservableGauge("cache.near.entries", () => _cache.Status.Entries, "{entry}", "Local entries.");
        _meter.CreateObservableGauge(
            "cache.near.size", () => _cache.Status.MemoryBytes, "By", "Memory of the local entries.");
    }

    public void Dispose() => _meter.Dispose();

    private void Count(string name, string unit, string description, Func<NearCacheStatus, long> read) =>
        _meter.CreateObservableCounter(name, () => read(_cache.Status), unit, description);

    private IEnumerable<Measurement<long>> ObserveReads()
    {
        var status = _cache.Status;
        yield return Of(status.Hits, "hit");
        yield return Of(status.Fills, "fill");
        yield return Of(status.Joins, "join");
        yield return Of(status.Unreachable, "unreachable");
    }

    private static Measurement<long> Of(long count, string result) =>
        new(count, new KeyValuePair<string, object?>("result", result));
}
