namespace Cache.Core;

/// <summary>What became of a call that names a group of a stream, and a consumer.</summary>
public readonly record struct StreamGroupOutcome
{
    /// <summary>Whether the group was found.</summary>
    public StreamGroupStatus Status { get; init; }

    /// <summary>Whether the consumer is new.</summary>
    public bool MadeConsumer { get; init; }
}
