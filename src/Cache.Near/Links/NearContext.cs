using Cache.Near.Entries;

namespace Cache.Near.Links;

/// <summary>What the links of a near cache share.</summary>
internal sealed class NearContext(NearCacheOptions options, LeaseClock clock, TimeProvider time)
{
    public NearCacheOptions Options { get; } = options;

    public LeaseClock Clock { get; } = clock;

    /// <summary>For pauses.</summary>
    public TimeProvider Time { get; } = time;

    public NearEntries Entries { get; } = new(options.MemoryLimitBytes);

    public NearCounters Counters { get; } = new();

    public SlotOwners Owners { get; } = new();

    public Random Random { get; } = Random.Shared;

    public bool IsTracked => Options.Coherence == NearCoherence.Tracking;
}
