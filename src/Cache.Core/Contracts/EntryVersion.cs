namespace Cache.Core;

/// <summary>A stamp of a key's state: it changes whenever the key is written, by any door, or goes.</summary>
/// <remarks>It may also change without a write of this key; retry a comparison that fails.</remarks>
public readonly record struct EntryVersion
{
    internal EntryVersion(ulong stamp) => Stamp = stamp;

    internal ulong Stamp { get; }

    // Of a keyspace that was cleared a few times and is in the same generation again, the home was written since, or
    // the key is as absent as it was.
    internal static EntryVersion Of(uint homeVersion, int generation) =>
        new(homeVersion | 1UL | ((ulong)generation << 32)); // Not 0, which is no version.
}
