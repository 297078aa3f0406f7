namespace Cache.Core;

/// <summary>Where a key's entry was found, and the version that tells whether the key was written since.</summary>
/// <remarks>Of an absent key it stands for the absence; only its version is meant then.</remarks>
internal readonly record struct EntryStamp
{
    /// <summary>The hash of key and keyspace, so that the key need not be hashed again.</summary>
    public ulong Hash { get; init; }

    /// <summary>The version of the key's home bucket.</summary>
    public uint HomeVersion { get; init; }

    /// <summary>The key's keyspace.</summary>
    public byte Keyspace { get; init; }

    /// <summary>The generation of the keyspace: another one has none of its entries.</summary>
    public byte Generation { get; init; }

    /// <summary>The bucket of the page that holds the entry; while home is at its version, it is there.</summary>
    public byte HolderIndex { get; init; }

    /// <summary>The slot in that bucket; 0: the key was absent.</summary>
    public byte Slot { get; init; }

    /// <summary>What the value is, also if it was not read for being no string.</summary>
    public EntryKind Kind { get; init; }

    /// <summary>When the entry expires unless it is used before, in the store's time; 0: never.</summary>
    public long ExpiresAtMs { get; init; }

    /// <summary>
    /// Whether no read may be left out: each renews the expiry, or that follows a clock which may be set.
    /// </summary>
    public bool MustBeRead { get; init; }

    /// <summary>The same as a stamp for <see cref="CacheStore.SetIfUnchanged"/>.</summary>
    public EntryVersion Version => EntryVersion.Of(HomeVersion, Generation);
}
