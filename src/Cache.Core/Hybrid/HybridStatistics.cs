namespace Cache.Core.Hybrid;

/// <summary>A snapshot of a hybrid cache's counters, since it was made.</summary>
public readonly record struct HybridStatistics
{
    /// <summary>Calls that were answered by a ready object.</summary>
    public long ReadyHits { get; init; }

    /// <summary>Calls that were answered by a value in the store.</summary>
    public long StoreHits { get; init; }

    /// <summary>Calls that found no fresh value in this process.</summary>
    public long Misses { get; init; }

    /// <summary>Of these, the calls that were answered by an expired value, by fail-safe or a soft timeout.</summary>
    public long StaleHits { get; init; }

    /// <summary>Of the misses, the calls that waited for a factory that another call had started.</summary>
    public long Joins { get; init; }

    /// <summary>Calls of factories.</summary>
    public long FactoryCalls { get; init; }

    /// <summary>Of these, the ones that threw.</summary>
    public long FactoryFailures { get; init; }

    /// <summary>Calls that stopped waiting for a factory.</summary>
    public long FactoryTimeouts { get; init; }

    /// <summary>Factories that were started before an entry had expired.</summary>
    public long EagerRefreshes { get; init; }

    /// <summary>Values that were found in the second level.</summary>
    public long SecondLevelHits { get; init; }

    /// <summary>Values that were not found there.</summary>
    public long SecondLevelMisses { get; init; }

    /// <summary>Operations of the second level that threw.</summary>
    public long SecondLevelFailures { get; init; }

    /// <summary>Calls whose key cannot be cached: too long, blank, or without a UTF-8 form.</summary>
    public long RejectedKeys { get; init; }

    /// <summary>Values that were too long, or that the store had no room for.</summary>
    public long RejectedPayloads { get; init; }

    /// <summary>Values that a serializer could not write or read.</summary>
    public long UnusableValues { get; init; }

    /// <summary>Tags that were invalidated, "*" among them.</summary>
    public long Invalidations { get; init; }
}
