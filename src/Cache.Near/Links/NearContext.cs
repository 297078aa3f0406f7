using Cache.Near.Entries;

namespace Cache.Near.Links;

/// <summary>What the links of a near cache share.</summary>
internal sealed class NearContext(
    NearCacheOptions options, LeaseClock clock, TimeProvider time, ILocalEntries entries)
{
    public NearCacheOptions Options { get; } = options;

    public LeaseClock Clock { get; } = clock;

    /// <summary>For pauses.</summary>
    public TimeProvider Time { get; } = time;

    /// <summary>What goes when servers tell of changes.</summary>
    public ILocalEntries Entries { get; } = entries;

    public NearCounters Counters { get; } = new();

    public SlotOwners Owners { get; } = new();

    public Random Random { get; } = Random.Shared;

    public bool IsTracked => Options.Coherence == NearCoherence.Tracking;
}
