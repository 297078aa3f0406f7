namespace Cache.Core;

/// <summary>How an entry is appended to a stream.</summary>
public readonly record struct StreamAppend
{
    /// <summary>The entry's id; null: one is made of the time.</summary>
    public StreamId? Id { get; init; }

    /// <summary>Whether the sequence number of <see cref="Id"/> is made: the next one of its millisecond.</summary>
    public bool MakesSequence { get; init; }

    /// <summary>Whether an absent stream stays absent.</summary>
    public bool IfPresent { get; init; }

    /// <summary>What goes of the oldest entries afterwards; null: nothing.</summary>
    public StreamTrim? Trim { get; init; }
}
