using Cache.Server.Clients;

namespace Cache.Server.PubSub;

/// <summary>A subscription to a channel or a pattern, of a client or of the process.</summary>
internal sealed class Subscription(Channel channel, Subscriptions owner) : PushTicket, IPlaced
{
    private readonly Outbox? _outbox = owner.Outbox;
    private readonly LocalQueue? _queue = owner.Queue;

    /// <summary>Where it is in the channel; under the table's gate.</summary>
    public int Place { get; set; }

    public Channel Channel { get; } = channel;

    /// <summary>Gives the subscriber a message.</summary>
    /// <returns>Whether it is there.</returns>
    public bool Deliver(scoped ref PublishedMessage message, Publisher publisher)
    {
        if (_outbox is null)
        {
            _queue!.TryAdd(message.ToLocal());
            return true;
        }

        if (!publisher.Is(_outbox.Client))
            return _outbox.TryPost(ref message, this);
        if (IsVoid)
            return false;
        publisher.Write(_outbox, message.Frame(_outbox.Client.ProtocolVersion).Span);
        return true;
    }

    /// <summary>Lets no further message come.</summary>
    public void End() => _outbox?.Void(this);
}
