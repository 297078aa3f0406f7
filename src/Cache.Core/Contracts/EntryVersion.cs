namespace Cache.Core.Contracts;

/// <summary>A stamp of a key's state: it changes whenever the key is written, by any door, or goes.</summary>
/// <remarks>It may also change without a write of this key; a comparison that fails is to be tried again.</remarks>
public readonly record struct EntryVersion
{
    internal EntryVersion(ulong stamp) => Stamp = stamp;

    internal ulong Stamp { get; }
}
