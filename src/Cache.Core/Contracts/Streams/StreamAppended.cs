namespace Cache.Core;

/// <summary>What became of an entry that was to be appended to a stream.</summary>
public readonly record struct StreamAppended
{
    /// <summary>Its id.</summary>
    public StreamId Id { get; init; }

    /// <summary>Why it was not appended, where the status of the write is ConditionNotMet.</summary>
    public StreamAppendStatus Status { get; init; }

    /// <summary>How many of the oldest entries were removed.</summary>
    public long Trimmed { get; init; }
}
