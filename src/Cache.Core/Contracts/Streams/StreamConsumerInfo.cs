namespace Cache.Core;

/// <summary>What is known of a consumer of a group.</summary>
public readonly record struct StreamConsumerInfo
{
    /// <summary>When it was last seen, in Unix milliseconds.</summary>
    public long SeenUnixMs { get; init; }

    /// <summary>The number of entries that it has not acknowledged.</summary>
    public long Pending { get; init; }
}
