namespace Cache.Server.PubSub;

/// <summary>A channel or a pattern, and who is subscribed to it, in the order of their coming.</summary>
internal sealed class Channel(byte[] name, ChannelKind kind) : PlaceList<Subscription>, IPlaced
{
    public byte[] Name { get; } = name;

    public ChannelKind Kind { get; } = kind;

    /// <summary>Of a pattern: where it is among the patterns.</summary>
    public int Place { get; set; }
}
