namespace Cache.Durability.Rdb;

/// <summary>An entry of an RDB file.</summary>
/// <param name="Database">The number of its database.</param>
/// <param name="Key">The key; valid until the next entry is read.</param>
/// <param name="Value">The value of a string; valid until the next entry is read.</param>
/// <param name="ExpiresAtMs">When it expires, in milliseconds since 1970; null for never.</param>
internal readonly record struct RdbEntry(
    int Database, ReadOnlyMemory<byte> Key, ReadOnlyMemory<byte> Value, long? ExpiresAtMs)
{
    /// <summary>What it is; of a collection, <see cref="RdbReader.Elements"/> has the value.</summary>
    public RdbKind Kind { get; init; }

    /// <summary>Its type and encoding, where values are read as they are.</summary>
    public RdbType Type { get; init; }

    /// <summary>What became of the value, where values are read as they are.</summary>
    public RdbRawState State { get; init; }
}
