namespace Cache.Core;

/// <summary>
/// The place where a key's entry was found, and the version that shows whether the key was written since.
/// </summary>
/// <remarks>For an absent key only the version has a meaning.</remarks>
internal readonly record struct EntryStamp
{
    /// <summary>The hash of key and keyspace, so that the key need not be hashed again.</summary>
    public ulong Hash { get; init; }

    /// <summary>The version of the key's home bucket.</summary>
    public uint HomeVersion { get; init; }

    /// <summary>The key's keyspace.</summary>
    public byte Keyspace { get; init; }

    /// <summary>The generation of the keyspace; entries of another generation are not found.</summary>
    public byte Generation { get; init; }

    /// <summary>The bucket of the page that has the entry; while the home has the version, it is there.</summary>
    public byte HolderIndex { get; init; }

    /// <summary>The slot in that bucket; 0: the key was absent.</summary>
    public byte Slot { get; init; }

    /// <summary>The kind of the value, also if it was not read because it is not a string.</summary>
    public EntryKind Kind { get; init; }

    /// <summary>When the entry expires unless it is used before, in the store's time; 0: never.</summary>
    public long ExpiresAtMs { get; init; }

    /// <summary>
    /// Whether each use must read the entry: a read renews the expiry, or that follows a clock which may be set.
    /// </summary>
    public bool MustBeRead { get; init; }

    /// <summary>The same as a stamp for <see cref="CacheStore.SetIfUnchanged"/>.</summary>
    public EntryVersion Version => EntryVersion.Of(HomeVersion, Generation);
}
