namespace Cache.Core;

/// <summary>
/// What the memory of a <see cref="CacheStore"/> is used for, in bytes. Summed up one after the other, not atomically.
/// </summary>
public readonly record struct StoreMemory
{
    /// <summary>The pages of the index.</summary>
    public long Index { get; init; }

    /// <summary>What is remembered of keys that were evicted.</summary>
    public long Ghosts { get; init; }

    /// <summary>The dictionaries of compression.</summary>
    public long Dictionaries { get; init; }

    /// <summary>Records of live entries: keys, short values, small collections.</summary>
    public long Records { get; init; }

    /// <summary>What is left of records that were replaced or removed, and room that is not written yet.</summary>
    public long Dead { get; init; }

    /// <summary>Blocks of large values.</summary>
    public long Blocks { get; init; }

    /// <summary>
    /// Large collections: the pages of their elements, used or not, and blocks of long values and names.
    /// </summary>
    public long Collections { get; init; }

    /// <summary>Free memory that was not given back to the system: it does not count against the limit.</summary>
    public long Free { get; init; }

    /// <summary>What its users hold, such as buffers of clients, and have counted against its limit.</summary>
    public long Outside { get; init; }
}
