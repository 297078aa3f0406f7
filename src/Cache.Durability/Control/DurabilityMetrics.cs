using System.Diagnostics.Metrics;

namespace Cache.Durability.Control;

/// <summary>The state of a store's files, as observable instruments.</summary>
internal sealed class DurabilityMetrics : IDisposable
{
    private readonly Meter _meter;

    /// <param name="meter">The meter; disposed with this.</param>
    /// <param name="read">Reads the state.</param>
    public DurabilityMetrics(Meter meter, Func<DurabilityStatus> read)
    {
        _meter = meter;
        meter.CreateObservableGauge(
            "cache.journal.size", () => read().JournalBytes, "By", "The journal behind the last snapshot.");
        meter.CreateObservableGauge(
            "cache.journal.suspended", () => read().SuspendedBecause is null ? 0 : 1, "{journal}",
            "1 while the journal cannot be written.");
        meter.CreateObservableCounter(
            "cache.journal.suspensions", () => read().Suspensions, "{suspension}",
            "How often the journal could not be written.");
        meter.CreateObservableGauge(
            "cache.snapshot.size", () => read().SnapshotBytes, "By", "The last snapshot.");
        meter.CreateObservableCounter(
            "cache.snapshots", () => read().Snapshots, "{snapshot}", "Snapshots written.");
        meter.CreateObservableGauge(
            "cache.changes_since_snapshot", () => read().ChangesSinceSave, "{change}",
            "Changes since the last snapshot.");
    }

    public void Dispose() => _meter.Dispose();
}
