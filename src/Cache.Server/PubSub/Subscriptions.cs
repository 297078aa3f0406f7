using Cache.Server.Clients;

namespace Cache.Server.PubSub;

/// <summary>The subscriptions of a client, or in the process; changed under the gate of the table.</summary>
internal sealed class Subscriptions : ClientSubscriptions
{
    private readonly ChannelTable _table;
    private readonly Dictionary<byte[], Subscription>?[] _ofKind = new Dictionary<byte[], Subscription>?[3];
    private readonly int[] _counts = new int[3];
    private long _bytes;

    /// <summary>Of a client.</summary>
    public Subscriptions(ChannelTable table, Outbox outbox) => (_table, Outbox) = (table, outbox);

    /// <summary>Of a subscriber in the process.</summary>
    public Subscriptions(ChannelTable table, LocalQueue queue) => (_table, Queue) = (table, queue);

    public override int Channels => Volatile.Read(ref _counts[(int)ChannelKind.Channel]);

    public override int Patterns => Volatile.Read(ref _counts[(int)ChannelKind.Pattern]);

    public override int ShardChannels => Volatile.Read(ref _counts[(int)ChannelKind.Shard]);

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
    public Dictionary<byte[], Subscription> Of(ChannelKind kind) =>
        _ofKind[(int)kind] ??= new Dictionary<byte[], Subscription>(NameComparer.Instance);

    /// <summary>Whether there are subscriptions of a kind, or were.</summary>
    public bool Had(ChannelKind kind) => _ofKind[(int)kind] is not null;

    public void Add(Subscription subscription)
    {
        var (kind, name) = (subscription.Channel.Kind, subscription.Channel.Name);
        Of(kind).Add(name, subscription);
        Volatile.Write(ref _counts[(int)kind], Of(kind).Count);
        Interlocked.Add(ref _bytes, ChannelTable.BytesOf(name));
    }

    public void Remove(Subscription subscription)
    {
        var (kind, name) = (subscription.Channel.Kind, subscription.Channel.Name);
        Of(kind).Remove(name);
        Volatile.Write(ref _counts[(int)kind], Of(kind).Count);
        Interlocked.Add(ref _bytes, -ChannelTable.BytesOf(name));
    }

    /// <summary>How many there are of all kinds.</summary>
    public int Count => Channels + Patterns + ShardChannels;

    public override void End() => _table.EndSoon(this);
}
