namespace Cache.Core;

/// <summary>What a consumer reads of a stream.</summary>
public readonly record struct StreamGroupRead
{
    /// <summary>The most entries; 0: all.</summary>
    public long Count { get; init; }

    /// <summary>
    /// Reads those that it has not acknowledged, behind an id; null: those that were delivered to nobody of the group.
    /// </summary>
    public StreamId? After { get; init; }

    /// <summary>Whether what is delivered counts as acknowledged.</summary>
    public bool IsAcknowledged { get; init; }
}
