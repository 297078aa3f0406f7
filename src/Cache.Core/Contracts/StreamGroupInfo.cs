namespace Cache.Core;

/// <summary>What is known of a group of a stream.</summary>
public readonly record struct StreamGroupInfo
{
    /// <summary>The last id that was delivered to it.</summary>
    public StreamId LastDeliveredId { get; init; }

    /// <summary>How many entries were delivered to it, as far as that is known; else null.</summary>
    public long? EntriesRead { get; init; }

    /// <summary>How many entries wait for it, as far as that is known; else null.</summary>
    public long? Lag { get; init; }

    /// <summary>The number of its consumers.</summary>
    public long Consumers { get; init; }

    /// <summary>The number of entries that its consumers have not acknowledged.</summary>
    public long Pending { get; init; }

    /// <summary>The least id among these; 0-0: there is none.</summary>
    public StreamId FirstPendingId { get; init; }

    /// <summary>The greatest id among these; 0-0: there is none.</summary>
    public StreamId LastPendingId { get; init; }
}

/// <summary>What is known of a consumer of a group.</summary>
public readonly record struct StreamConsumerInfo
{
    /// <summary>When it was last seen, in Unix milliseconds.</summary>
    public long SeenUnixMs { get; init; }

    /// <summary>The number of entries that it has not acknowledged.</summary>
    public long Pending { get; init; }
}

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
