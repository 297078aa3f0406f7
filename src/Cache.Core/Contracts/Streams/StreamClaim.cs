namespace Cache.Core;

/// <summary>How a consumer takes over entries that others have not acknowledged.</summary>
public readonly record struct StreamClaim
{
    /// <summary>Only those that were delivered so long ago, in milliseconds.</summary>
    public long MinIdleMs { get; init; }

    /// <summary>When they count as delivered, in Unix milliseconds; null, or a moment to come: now.</summary>
    public long? DeliveredUnixMs { get; init; }

    /// <summary>How often they count as delivered; null: once more, unless <see cref="IdsOnly"/>.</summary>
    public long? Deliveries { get; init; }

    /// <summary>Whether entries that are pending nowhere become so.</summary>
    public bool IsForced { get; init; }

    /// <summary>Whether only ids are told: then they do not count as delivered once more.</summary>
    public bool IdsOnly { get; init; }

    /// <summary>The group's last id becomes this, if that is greater.</summary>
    public StreamId LastId { get; init; }
}
