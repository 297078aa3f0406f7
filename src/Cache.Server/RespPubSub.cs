using System.Text;
using Cache.Server.PubSub;

namespace Cache.Server;

/// <summary>The channels of a server, for the process that it runs in: publish, and subscribe. Thread-safe.</summary>
/// <remarks>
/// The same channels as those of the server's clients, without rights. Keyspace events come on them too, if
/// notify-keyspace-events says so. They exist as long as the server's object, whether it listens or not.
/// </remarks>
public sealed class RespPubSub
{
    /// <summary>The messages of a subscription that may wait, unless another number is given.</summary>
    public const int CapacityDefault = 1024;

    private readonly ChannelTable _table;

    internal RespPubSub(ChannelTable table) => _table = table;

    /// <summary>Publishes a message.</summary>
    /// <param name="channel">The channel, in any bytes.</param>
    /// <param name="payload">The message; it is copied.</param>
    /// <returns>The number of subscribers that get it; who is subscribed in two ways counts twice.</returns>
    public int Publish(ReadOnlySpan<byte> channel, ReadOnlySpan<byte> payload) =>
        _table.Publish(channel, payload, default);

    /// <summary>Publishes a message of text, in UTF-8.</summary>
    /// <param name="channel">The channel.</param>
    /// <param name="payload">The message.</param>
    /// <returns>As of the other form.</returns>
    public int Publish(string channel, string payload)
    {
        ArgumentNullException.ThrowIfNull(channel);
        ArgumentNullException.ThrowIfNull(payload);
        return Publish(Encoding.UTF8.GetBytes(channel), Encoding.UTF8.GetBytes(payload));
    }

    /// <summary>Subscribes to channels by their names.</summary>
    /// <param name="channels">The names, of which UTF-8 is taken.</param>
    /// <returns>The subscription, which the caller disposes of.</returns>
    public RespSubscription Subscribe(params ReadOnlySpan<string> channels) =>
        Subscribe(ChannelKind.Channel, CapacityDefault, channels);

    /// <summary>Subscribes to channels by their names, with another bound of what waits.</summary>
    /// <param name="capacity">The most messages that wait: 1 to <see cref="RespSubscription.CapacityMax"/>.</param>
    /// <param name="channels">The names.</param>
    /// <returns>The subscription.</returns>
    public RespSubscription Subscribe(int capacity, params ReadOnlySpan<string> channels) =>
        Subscribe(ChannelKind.Channel, capacity, channels);

    /// <summary>Subscribes to all channels that match one of some glob-style patterns, as PSUBSCRIBE.</summary>
    /// <param name="patterns">The patterns.</param>
    /// <returns>The subscription.</returns>
    public RespSubscription SubscribeToPatterns(params ReadOnlySpan<string> patterns) =>
        Subscribe(ChannelKind.Pattern, CapacityDefault, patterns);

    /// <summary>As the other form, with another bound of what waits.</summary>
    /// <param name="capacity">The most messages that wait: 1 to <see cref="RespSubscription.CapacityMax"/>.</param>
    /// <param name="patterns">The patterns.</param>
    /// <returns>The subscription.</returns>
    public RespSubscription SubscribeToPatterns(int capacity, params ReadOnlySpan<string> patterns) =>
        Subscribe(ChannelKind.Pattern, capacity, patterns);

    private RespSubscription Subscribe(ChannelKind kind, int capacity, ReadOnlySpan<string> names)
    {
        var made = new RespSubscription(_table, capacity);
        foreach (string name in names)
            _table.Subscribe(made.Subscriptions, kind, Encoding.UTF8.GetBytes(name));
        return made;
    }
}
