namespace Cache.Core;

/// <summary>What a read found for a key, for a write that replaces only that.</summary>
internal readonly ref struct ExpectedEntry
{
    /// <summary>Whether there was an entry.</summary>
    public bool Exists { get; init; }

    /// <summary>Its whole value.</summary>
    public ReadOnlySpan<byte> Value { get; init; }

    /// <summary>When it expires, in the store's time; 0: never. Once that has passed, it may be gone.</summary>
    public long ExpiresAtMs { get; init; }

    /// <summary>The key, watched since before the read: a removal forbids the write.</summary>
    public required WatchedKey Watched { get; init; }
}
