using Cache.Server.Clients;

namespace Cache.Server.PubSub;

/// <summary>A client's subscription to a channel or a pattern.</summary>
internal sealed class Subscription(Channel channel, Outbox outbox) : PushTicket
{
    /// <summary>Where it is in the channel; under the table's gate.</summary>
    public int Place { get; set; }

    public Channel Channel { get; } = channel;

    /// <summary>Gives the client a message.</summary>
    /// <returns>Whether the client is there.</returns>
    public bool Deliver(scoped ref PublishedMessage message, Publisher publisher)
    {
        if (!publisher.Is(outbox.Client))
            return outbox.TryPost(ref message, this);
        if (IsVoid)
            return false;
        publisher.Write(outbox, message.Frame(outbox.Client.ProtocolVersion).Span);
        return true;
    }

    /// <summary>Lets no further message come.</summary>
    public void End() => outbox.Void(this);
}
