using System.Diagnostics.Tracing;

namespace Cache.Core.Diagnostics;

/// <summary>The counters of all observed stores of the process, for tools that listen to event sources.</summary>
/// <remarks>
/// Counters exist once there is a listener, and are read at its interval. Stores are held weakly: an observation that
/// was never ended keeps no store alive.
/// </remarks>
[EventSource(Name = SourceName)]
internal sealed class CacheEventSource : EventSource
{
    public const string SourceName = "Cache-Core";

    private const double BytesPerMegabyte = 1 << 20;
    private const double Percent = 100;

    public static readonly CacheEventSource Log = new();

    private readonly Lock _gate = new();
    private readonly List<WeakReference<CacheStore>> _stores = [];

    // Created for the first listener; the base class ends their timers after the last one.
    private List<DiagnosticCounter>? _counters;

    // The counts of the last hit ratio; used only by the timer that computes it.
    private CacheStatistics _last;

    private CacheEventSource()
    {
    }

    [NonEvent]
    public void Add(CacheStore store)
    {
        lock (_gate)
            _stores.Add(new WeakReference<CacheStore>(store));
    }

    [NonEvent]
    public void Remove(CacheStore store)
    {
        lock (_gate)
            _stores.RemoveAll(held => !held.TryGetTarget(out var observed) || observed == store);
    }

    /// <summary>The counters of all stores, summed; a store that is observed twice counts twice.</summary>
    [NonEvent]
    public CacheStatistics Sum()
    {
        var sum = default(CacheStatistics);
        lock (_gate)
        {
            foreach (var held in _stores)
            {
                if (held.TryGetTarget(out var store))
                    sum = Sum(sum, store.GetStatistics());
            }
        }

        return sum;
    }

    protected override void OnEventCommand(EventCommandEventArgs command)
    {
        if (command.Command == EventCommand.Enable)
            _counters ??= CreateCounters();
    }

    protected override void Dispose(bool disposing)
    {
        _counters?.ForEach(static counter => counter.Dispose());
        _counters = null;
        base.Dispose(disposing);
    }

    private static CacheStatistics Sum(in CacheStatistics one, in CacheStatistics other) => new()
    {
        Count = one.Count + other.Count,
        Hits = one.Hits + other.Hits,
        Misses = one.Misses + other.Misses,
        Evictions = one.Evictions + other.Evictions,
        Expirations = one.Expirations + other.Expirations,
        RefusedWrites = one.RefusedWrites + other.RefusedWrites,
        MemoryBytes = one.MemoryBytes + other.MemoryBytes,
    };

    private List<DiagnosticCounter> CreateCounters() =>
    [
        Rate("hits", "Hits", static s => s.Hits),
        Rate("misses", "Misses", static s => s.Misses),
        new PollingCounter("hit-ratio", this, HitRatio) { DisplayName = "Hit Ratio", DisplayUnits = "%" },
        Rate("evictions", "Evictions", static s => s.Evictions),
        Rate("expirations", "Expirations", static s => s.Expirations),
        Rate("refused-writes", "Refused Writes", static s => s.RefusedWrites),
        new PollingCounter("entries", this, () => Sum().Count) { DisplayName = "Entries" },
        new PollingCounter("size", this, () => Sum().MemoryBytes / BytesPerMegabyte)
        {
            DisplayName = "Size",
            DisplayUnits = "MB",
        },
    ];

    private IncrementingPollingCounter Rate(string name, string displayName, Func<CacheStatistics, long> value) =>
        new(name, this, () => value(Sum()))
        {
            DisplayName = displayName,
            DisplayRateTimeScale = TimeSpan.FromSeconds(1),
        };

    // Over the reads since the last time; 0 if there were none.
    private double HitRatio()
    {
        var now = Sum();
        long hits = now.Hits - _last.Hits;
        long reads = hits + now.Misses - _last.Misses;
        _last = now;
        return reads > 0 ? Percent * hits / reads : 0;
    }
}
