namespace Cache.Core;

/// <summary>Up to which size Redis keeps a collection in its compact encoding.</summary>
/// <remarks>
/// The store's own forms do not depend on it. It notes in each collection that it writes whether the collection went
/// beyond, so that OBJECT ENCODING can tell what Redis would.
/// </remarks>
public sealed record EncodingLimits
{
    /// <summary>The most fields of a hash (hash-max-listpack-entries).</summary>
    public long HashFields { get; init; } = 512;

    /// <summary>The longest field or value of a hash, in bytes (hash-max-listpack-value).</summary>
    public long HashFieldLength { get; init; } = 64;

    /// <summary>The most members of a set of integers (set-max-intset-entries).</summary>
    public long SetIntegers { get; init; } = 512;

    /// <summary>The most members of a sorted set (zset-max-listpack-entries).</summary>
    public long SortedSetMembers { get; init; } = 128;

    /// <summary>The longest member of a sorted set, in bytes (zset-max-listpack-value).</summary>
    public long SortedSetMemberLength { get; init; } = 64;
}
