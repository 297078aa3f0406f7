using Cache.Server.Clients;

namespace Cache.Server.PubSub;

/// <summary>The subscriptions of a client, or in the process; changed under the gate of the table.</summary>
internal sealed class Subscriptions : ClientSubscriptions
{
    private readonly ChannelTable _table;
    private SubscriptionSet _channels;
    private SubscriptionSet _patterns;
    private SubscriptionSet _shardChannels;
    private long _bytes;

    /// <summary>Of a client.</summary>
    public Subscriptions(ChannelTable table, Outbox outbox) => (_table, Outbox) = (table, outbox);

    /// <summary>Of a subscriber in the process.</summary>
    public Subscriptions(ChannelTable table, LocalQueue queue) => (_table, Queue) = (table, queue);

    public override int Channels => _channels.Count;

    public override int Patterns => _patterns.Count;

    public override int ShardChannels => _shardChannels.Count;

    public override long Bytes => Interlocked.Read(ref _bytes);

    /// <summary>Where the client gets its messages from; null: it is none.</summary>
    public Outbox? Outbox { get; }

    /// <summary>Where a subscriber in the process gets them from; null: it is a client.</summary>
    public LocalQueue? Queue { get; }

    /// <summary>Whether no more may be added.</summary>
    public bool HasEnded { get; set; }

    /// <summary>The number that replies tell: of channels and patterns together, or of shard channels.</summary>
    public int CountFor(ChannelKind kind) => kind == ChannelKind.Shard ? ShardChannels : Channels + Patterns;

    /// <summary>The subscriptions of a kind, by name.</summary>
    public ref readonly SubscriptionSet Of(ChannelKind kind) => ref SetOf(kind);

    public void Add(Subscription subscription)
    {
        SetOf(subscription.Channel.Kind).Add(subscription);
        Interlocked.Add(ref _bytes, ChannelTable.BytesOf(subscription.Channel.Name));
    }

    public void Remove(Subscription subscription)
    {
        SetOf(subscription.Channel.Kind).Remove(subscription);
        Interlocked.Add(ref _bytes, -ChannelTable.BytesOf(subscription.Channel.Name));
    }

    /// <summary>How many there are of all kinds.</summary>
    public int Count => Channels + Patterns + ShardChannels;

    public override void End() => _table.EndSoon(this);

    private ref SubscriptionSet SetOf(ChannelKind kind)
    {
        if (kind == ChannelKind.Channel)
            return ref _channels;
        return ref kind == ChannelKind.Pattern ? ref _patterns : ref _shardChannels;
    }
}
