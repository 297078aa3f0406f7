namespace Cache.Near.Layouts;

/// <summary>What a server has of an entry.</summary>
/// <param name="Value">The value; null: there is no entry.</param>
/// <param name="SlidingMs">After how many milliseconds without a read it expires; 0: it does not slide.</param>
/// <param name="AbsoluteUnixMs">When it expires at the latest, in Unix milliseconds; 0: never.</param>
internal readonly record struct StoredEntry(byte[]? Value, long SlidingMs, long AbsoluteUnixMs);
