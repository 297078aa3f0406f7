namespace Cache.Core;

/// <summary>What is known of a collection without reading its elements.</summary>
public readonly record struct CollectionInfo
{
    /// <summary>The kind of the key's value.</summary>
    public EntryKind Kind { get; init; }

    /// <summary>The number of elements.</summary>
    public long Count { get; init; }

    /// <summary>
    /// Whether it once was beyond <see cref="EncodingLimits"/>: Redis keeps its other encoding from then on. Never of a
    /// list, which has one there.
    /// </summary>
    public bool IsConverted { get; init; }

    /// <summary>Of a hash: whether a field had an expiry of its own once; of a large one, whether one has.</summary>
    public bool IsTimed { get; init; }

    /// <summary>
    /// Of a hash: how many fields have an expiry of their own; expired ones count until they are removed.
    /// </summary>
    public long ExpiringCount { get; init; }
}
