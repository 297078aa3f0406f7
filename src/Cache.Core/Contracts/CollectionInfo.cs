namespace Cache.Core;

/// <summary>What is known of a collection without reading its elements.</summary>
public readonly record struct CollectionInfo
{
    /// <summary>The kind of the key's value.</summary>
    public EntryKind Kind { get; init; }

    /// <summary>The number of elements.</summary>
    public long Count { get; init; }

    /// <summary>
    /// Whether it once was beyond <see cref="EncodingLimits"/>: Redis keeps its other encoding from then on.
    /// </summary>
    public bool IsConverted { get; init; }
}
