namespace Cache.Core;

/// <summary>From where a group of consumers reads.</summary>
public readonly record struct StreamGroupOptions
{
    /// <summary>It gets entries behind this id; null: behind the last one that the stream has had.</summary>
    public StreamId? LastDeliveredId { get; init; }

    /// <summary>How many entries it counts as read; null: not known.</summary>
    public long? EntriesRead { get; init; }

    /// <summary>Whether a stream is made where the key is absent; of a new group only.</summary>
    public bool MakesStream { get; init; }
}
