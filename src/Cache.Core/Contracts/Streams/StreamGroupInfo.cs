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
