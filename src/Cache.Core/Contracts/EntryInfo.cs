namespace Cache.Core;

/// <summary>The properties of a key's entry besides its value, read atomically.</summary>
public readonly record struct EntryInfo
{
    /// <summary>The stamp for <see cref="CacheStore.SetIfUnchanged"/>; valid for an absent key too.</summary>
    public EntryVersion Version { get; init; }

    /// <summary>The kind of the value; <see cref="EntryKind.None"/> if there is no entry.</summary>
    public EntryKind Kind { get; init; }

    /// <summary>The length of the value in bytes; for another kind than a string, of its stored form.</summary>
    public int Length { get; init; }

    /// <summary>
    /// The memory that the entry takes: its record with key and value, its slot in the index, and the block of a long
    /// value, which copies share; 0 if there is no entry.
    /// </summary>
    public long MemoryBytes { get; init; }

    /// <summary>
    /// When the entry expires unless it is used before, in Unix milliseconds of the store's clock; 0: never.
    /// </summary>
    public long ExpiresAtMs { get; init; }

    /// <summary>
    /// The same on the wall clock, by the present distance of the clocks; exactly the given moment, if one was given.
    /// </summary>
    public long ExpiresAtUnixMs { get; init; }

    /// <summary>The number of uses, up to 3; making room lowers it.</summary>
    public int UseCount { get; init; }

    /// <summary>The sliding interval in milliseconds; 0: none.</summary>
    public long SlidingMs { get; init; }

    /// <summary>
    /// When an entry with such an interval expires even if it is used, in Unix milliseconds; 0: never.
    /// </summary>
    public long AbsoluteUnixMs { get; init; }

    /// <summary>Whether the entry has proved to be of use: it is in the main list of the eviction policy.</summary>
    internal bool IsMain { get; init; }
}
