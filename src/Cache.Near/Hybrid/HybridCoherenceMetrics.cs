using System.Diagnostics.Metrics;

namespace Cache.Near.Hybrid;

/// <summary>
/// The figures of a hybrid cache's coherence as instruments of the meter "Cache.Near"; observed, so that nobody pays
/// unread.
/// </summary>
internal sealed class HybridCoherenceMetrics : IDisposable
{
    private readonly HybridCoherer _coherer;
    private readonly KeyValuePair<string, object?>[] _tags;
    private readonly Meter _meter;

    public HybridCoherenceMetrics(HybridCoherer coherer, string name, IMeterFactory? factory)
    {
        _coherer = coherer;
        _tags = [new("dotnet.cache.name", name)];
        _meter = factory?.Create(NearMetrics.MeterName) ?? new Meter(NearMetrics.MeterName);
        Count("cache.near.hybrid.bypasses", "{read}", "Reads that could not count what is here.", s => s.Bypasses);
        Count("cache.near.hybrid.pushes", "{key}", "Keys that were told of.", s => s.Pushes);
        Count("cache.near.hybrid.pushes.useful", "{key}", "Of these, those with a value here.", s => s.UsefulPushes);
        Count("cache.near.hybrid.clears", "{clear}", "Times that everything was dropped.", s => s.Clears);
        Gauge("cache.near.hybrid.coherent", "1 while values count by client tracking.", s => s.IsCoherent);
        Gauge("cache.near.hybrid.listening", "1 while others' own writes are heard of.", s => s.IsListening);
    }

    public void Dispose() => _meter.Dispose();

    private void Gauge(string name, string description, Func<HybridCoherenceStatus, bool> read) =>
        _meter.CreateObservableGauge(
            name, () => new Measurement<int>(read(_coherer.Status) ? 1 : 0, _tags), null, description);

    private void Count(string name, string unit, string description, Func<HybridCoherenceStatus, long> read) =>
        _meter.CreateObservableCounter(
            name, () => new Measurement<long>(read(_coherer.Status), _tags), unit, description);
}
