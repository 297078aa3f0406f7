namespace Cache.Core;

/// <summary>An entry that a consumer has not acknowledged.</summary>
public readonly record struct StreamPendingInfo
{
    /// <summary>The entry's id; it may be removed by now.</summary>
    public StreamId Id { get; init; }

    /// <summary>When it was last delivered, in Unix milliseconds.</summary>
    public long DeliveredUnixMs { get; init; }

    /// <summary>How often it was delivered.</summary>
    public long Deliveries { get; init; }
}
