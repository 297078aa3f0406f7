namespace Cache.Durability.Format;

/// <summary>A record in a payload, without a copy.</summary>
internal readonly ref struct RecordView
{
    /// <summary>The size of the record in bytes.</summary>
    public int Size { get; init; }

    public RecordFields Fields { get; init; }

    public ReadOnlySpan<byte> Key { get; init; }

    /// <summary>Empty if it is parted.</summary>
    public ReadOnlySpan<byte> Value { get; init; }

    /// <summary>The length of the whole value, also if it is parted.</summary>
    public int ValueLength { get; init; }
}
