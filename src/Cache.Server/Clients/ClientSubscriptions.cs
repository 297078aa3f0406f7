namespace Cache.Server.Clients;

/// <summary>The channels of a client, as others see them. Thread-safe.</summary>
internal abstract class ClientSubscriptions
{
    /// <summary>How many channels it is subscribed to.</summary>
    public abstract int Channels { get; }

    /// <summary>How many patterns it is subscribed to.</summary>
    public abstract int Patterns { get; }

    /// <summary>How many shard channels it is subscribed to.</summary>
    public abstract int ShardChannels { get; }

    /// <summary>Whether it is subscribed to nothing.</summary>
    public bool IsEmpty => (Channels | Patterns | ShardChannels) == 0;

    /// <summary>The memory of the subscriptions.</summary>
    public abstract long Bytes { get; }

    /// <summary>Ends all of them, and prevents later ones: the client ends.</summary>
    public abstract void End();
}
