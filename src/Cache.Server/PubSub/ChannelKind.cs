namespace Cache.Server.PubSub;

/// <summary>What a subscription names.</summary>
internal enum ChannelKind : byte
{
    /// <summary>A channel.</summary>
    Channel,

    /// <summary>All channels whose names match a glob-style pattern.</summary>
    Pattern,

    /// <summary>A channel of a shard of a cluster, apart from the others.</summary>
    Shard,
}
