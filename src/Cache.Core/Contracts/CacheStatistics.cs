namespace Cache.Core;

/// <summary>
/// A snapshot of a store's counters. Counters are summed over the shards one after the other, not at one moment.
/// </summary>
public readonly record struct CacheStatistics
{
    /// <summary>Live and not yet removed entries, over all keyspaces.</summary>
    public long Count { get; init; }

    /// <summary>Of these, the entries that have an expiry.</summary>
    public long ExpiringCount { get; init; }

    /// <summary>Reads that found a live entry, since the start or the last reset.</summary>
    public long Hits { get; init; }

    /// <summary>Reads that found none.</summary>
    public long Misses { get; init; }

    /// <summary>Entries removed to make room.</summary>
    public long Evictions { get; init; }

    /// <summary>Entries removed because they had expired.</summary>
    public long Expirations { get; init; }

    /// <summary>Writes that were refused for want of room, since the start or the last reset.</summary>
    public long RefusedWrites { get; init; }

    /// <summary>When the last of them was, in Unix milliseconds of the store's clock; 0: never.</summary>
    public long LastRefusedWriteMs { get; init; }

    /// <summary>Bytes held: keys, values and what the store keeps about them.</summary>
    public long MemoryBytes { get; init; }

    /// <summary>The highest <see cref="MemoryBytes"/> that was seen.</summary>
    public long MemoryPeakBytes { get; init; }

    /// <summary>The limit of <see cref="MemoryBytes"/>.</summary>
    public long MemoryLimitBytes { get; init; }
}
