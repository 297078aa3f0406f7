namespace Cache.Core;

/// <summary>A stamp of a key's state: it changes whenever the key is written or removed, by any door.</summary>
/// <remarks>It may also change without a write of this key; retry a comparison that fails.</remarks>
public readonly record struct EntryVersion
{
    internal const int ObjectShift = 35;

    internal EntryVersion(ulong stamp) => Stamp = stamp;

    internal ulong Stamp { get; }

    // If a keyspace was cleared a few times and has the same generation again, the home was written since, or the key
    // is absent as before.
    // A large collection has a version of its own, whose upper bits are added.
    internal static EntryVersion Of(uint homeVersion, int generation, uint objectVersion = 0) =>
        new(homeVersion | 1UL // Not 0, which is no version.
            | ((ulong)generation << 32) | ((ulong)objectVersion << ObjectShift));
}
