namespace Cache.Core;

/// <summary>What the store knows of a key beside its value, as of one moment.</summary>
public readonly record struct EntryInfo
{
    /// <summary>The stamp for <see cref="CacheStore.SetIfUnchanged"/>; valid for an absent key too.</summary>
    public EntryVersion Version { get; init; }

    /// <summary>What the value is; <see cref="EntryKind.None"/> if there is no entry.</summary>
    public EntryKind Kind { get; init; }

    /// <summary>The length of the value in bytes; of another kind than a string, as the store keeps it.</summary>
    public int Length { get; init; }

    /// <summary>
    /// When the entry expires unless it is used before, in Unix milliseconds of the store's clock; 0: never.
    /// </summary>
    public long ExpiresAtMs { get; init; }

    /// <summary>The same by the wall clock as it goes now; the moment that was given, if one was.</summary>
    public long ExpiresAtUnixMs { get; init; }

    /// <summary>How many times it was used, up to 3; the count falls where room is made.</summary>
    public int UseCount { get; init; }

    /// <summary>The sliding interval in milliseconds; 0: none.</summary>
    public long SlidingMs { get; init; }

    /// <summary>
    /// When an entry with such an interval expires however often it is used, in Unix milliseconds; 0: never.
    /// </summary>
    public long AbsoluteUnixMs { get; init; }
}
