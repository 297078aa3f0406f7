namespace Cache.Core;

/// <summary>
/// A snapshot of a store's counters. Counters are summed over the shards one after the other, not atomically.
/// </summary>
public readonly record struct CacheStatistics
{
    /// <summary>Entries over all keyspaces, including expired ones that were not removed yet.</summary>
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

    /// <summary>Writes that were refused because there was no room, since the start or the last reset.</summary>
    public long RefusedWrites { get; init; }

    /// <summary>When the last one was refused, in Unix milliseconds of the store's clock; 0: never.</summary>
    public long LastRefusedWriteMs { get; init; }

    /// <summary>Entries whose values are kept compressed.</summary>
    public long CompressedCount { get; init; }

    /// <summary>The length of these values in bytes.</summary>
    public long CompressedValueBytes { get; init; }

    /// <summary>The bytes that these values take.</summary>
    public long CompressedBytes { get; init; }

    /// <summary>How often the store tried to compress a value, since it was created.</summary>
    public long CompressionTries { get; init; }

    /// <summary>Bytes held: keys, values and the store's data about them.</summary>
    public long MemoryBytes { get; init; }

    /// <summary>The highest <see cref="MemoryBytes"/> so far.</summary>
    public long MemoryPeakBytes { get; init; }

    /// <summary>The limit of <see cref="MemoryBytes"/>.</summary>
    public long MemoryLimitBytes { get; init; }
}
