using System.Collections.Concurrent;
using Cache.Server.Clients;
using Cache.Server.Commands.Arguments;

namespace Cache.Server.PubSub;

/// <summary>The channels and patterns that clients are subscribed to. Thread-safe.</summary>
/// <remarks>
/// Subscriptions are changed under one gate. A publisher takes no gate to find the subscribers, but holds the turn of
/// its channel while it gives them the message: so all of them get the messages of a channel in one order, whatever
/// threads publish, and each publisher's in its own. It waits for no client: it adds to their outboxes. Locks are taken
/// in this order: a turn, the gate, the gate of an outbox.
/// </remarks>
/// <param name="memory">Counts the subscriptions as the clients' memory.</param>
internal sealed class ChannelTable(ClientMemory memory)
{
    /// <summary>The memory of a subscription besides its name: its entry here, the client's, and the objects.</summary>
    public const int SubscriptionBytes = 256;

    // Under the gate at a time, at least, and at most this part of all.
    private const int StepMin = 1024;
    private const int StepShare = 8;

    // Of a connection that ends, on its thread: a millisecond.
    private const int ClearedAtOnceMax = 2048;

    // Channels share turns; few are published to at the same moment.
    private const int Turns = 64;

    private readonly Lock _gate = new();
    private readonly Lock[] _turns = MakeTurns();
    private readonly ConcurrentDictionary<byte[], Channel>[] _named = [Named(), Named(), Named()];

    // In the order of their coming.
    private readonly PatternList _patterns = new();

    // Written under the gate.
    private int _patternSubscriptions;

    // The channels and patterns, without shard channels. Written under the gate.
    private int _heard;

    /// <summary>Whether nobody is subscribed to a channel or pattern, but for shard channels.</summary>
    public bool IsEmpty => Volatile.Read(ref _heard) == 0;

    /// <summary>The number of channels with subscribers, or of patterns.</summary>
    public int CountOf(ChannelKind kind) => _named[(int)kind].Count;

    /// <summary>The number of subscriptions to patterns, as PUBSUB NUMPAT counts: each pattern once.</summary>
    public int PatternCount => _patterns.Count;

    /// <summary>The number of subscriptions to patterns.</summary>
    public int PatternSubscriptionCount => Volatile.Read(ref _patternSubscriptions);

    /// <summary>The bytes that a subscription counts.</summary>
    public static int BytesOf(byte[] name) => name.Length + SubscriptionBytes;

    /// <summary>The number of subscribers of a channel, without those of patterns.</summary>
    public int CountSubscribers(ChannelKind kind, ReadOnlySpan<byte> name) => Find(kind, name)?.Count ?? 0;

    /// <summary>The names of the channels that match a pattern, or of all.</summary>
    public List<byte[]> FindNames(ChannelKind kind, ReadOnlySpan<byte> pattern, bool isAll)
    {
        var names = new List<byte[]>();
        foreach (var (name, _) in _named[(int)kind])
        {
            if (isAll || new GlobPattern(pattern).IsMatch(name))
                names.Add(name);
        }

        return names;
    }

    /// <summary>Subscribes a client, unless it is.</summary>
    public void Subscribe(Subscriptions client, ChannelKind kind, ReadOnlySpan<byte> name)
    {
        int bytes;
        lock (_gate)
        {
            if (client.HasEnded || client.Of(kind).Find(name) is not null)
                return;
            var channel = Find(kind, name) ?? AddChannel(kind, name.ToArray());
            var subscription = new Subscription(channel, client);
            bytes = BytesOf(channel.Name);
            memory.Count(bytes);
            client.Add(subscription);
            channel.Add(subscription);
            if (kind == ChannelKind.Pattern)
                _patternSubscriptions++;
        }

        memory.EvictWhileOverLimit();
    }

    /// <summary>Ends a client's subscription, if it has it: afterwards no message comes.</summary>
    public void Unsubscribe(Subscriptions client, ChannelKind kind, ReadOnlySpan<byte> name)
    {
        lock (_gate)
        {
            if (client.Of(kind).Find(name) is { } subscription)
                Remove(client, subscription);
        }
    }

    /// <summary>Some of the names that a client is subscribed to; empty: it is to none.</summary>
    public List<byte[]> FindSome(Subscriptions client, ChannelKind kind)
    {
        var names = new List<byte[]>();
        lock (_gate)
        {
            int most = StepOf(client.Of(kind).Count);
            foreach (var subscription in client.Of(kind))
            {
                names.Add(subscription.Channel.Name);
                if (names.Count == most)
                    break;
            }

            return names;
        }
    }

    /// <summary>Whether all of a client's subscriptions are allowed.</summary>
    /// <param name="client">The client.</param>
    /// <param name="isAllowed">Tells it of a name, and whether that is a pattern. Called under the gate.</param>
    public bool AreAll(Subscriptions client, Func<ReadOnlySpan<byte>, bool, bool> isAllowed)
    {
        lock (_gate)
        {
            for (var kind = ChannelKind.Channel; kind <= ChannelKind.Shard; kind++)
            {
                foreach (var subscription in client.Of(kind))
                {
                    if (!isAllowed(subscription.Channel.Name, kind == ChannelKind.Pattern))
                        return false;
                }
            }

            return true;
        }
    }

    /// <summary>Whether a client is subscribed to a certain shard channel.</summary>
    /// <param name="client">The client.</param>
    /// <param name="concerns">Whether a name is that of such a channel. Called under the gate.</param>
    public bool HasShardChannel(Subscriptions client, Func<byte[], bool> concerns)
    {
        lock (_gate)
        {
            foreach (var subscription in client.Of(ChannelKind.Shard))
            {
                if (concerns(subscription.Channel.Name))
                    return true;
            }

            return false;
        }
    }

    /// <summary>Ends all subscriptions of a client, which may subscribe again.</summary>
    public void Clear(Subscriptions client)
    {
        // In steps: others must not wait for the gate until hundreds of thousands are gone.
        for (bool isDone = false; !isDone;)
        {
            lock (_gate)
                isDone = TryClear(client);
        }
    }

    /// <summary>Ends all subscriptions of a client, and prevents later ones.</summary>
    public void End(Subscriptions client)
    {
        lock (_gate)
            client.HasEnded = true;
        Clear(client);
    }

    /// <summary>The same, on a thread of the pool if they are many. The client's connection ends.</summary>
    public void EndSoon(Subscriptions client)
    {
        if (client.Count <= ClearedAtOnceMax)
        {
            End(client);
            return;
        }

        lock (_gate)
            client.HasEnded = true;
        ThreadPool.UnsafeQueueUserWorkItem(
            static of => of.Table.Clear(of.Client), (Table: this, Client: client), preferLocal: false);
    }

    /// <summary>The steps of about a nanosecond that a message to a channel takes.</summary>
    public long WorkOf(ChannelKind kind, ReadOnlySpan<byte> channel)
    {
        const int StepsOfDelivery = 100;
        const int StepsOfMatch = 50;
        long work = CountSubscribers(kind, channel) * (long)StepsOfDelivery;
        return kind == ChannelKind.Shard
            ? work
            : work + PatternSubscriptionCount * (long)StepsOfDelivery + _patterns.Count * (long)StepsOfMatch;
    }

    /// <summary>Gives a message to the subscribers of a channel, and of the patterns that it matches.</summary>
    /// <returns>The number of those that get it; who is subscribed in several ways gets it several times.</returns>
    public int Publish(ReadOnlySpan<byte> channel, ReadOnlySpan<byte> payload, Publisher publisher)
    {
        var found = Find(ChannelKind.Channel, channel);
        if (found is null && _patterns.Count == 0)
            return 0;
        lock (TurnOf(channel))
        {
            int receivers = 0;
            if (found is not null)
            {
                var message = new PublishedMessage(ChannelKind.Channel, default, channel, payload);
                receivers = Deliver(found, ref message, publisher);
            }

            foreach (var pattern in _patterns.Places)
            {
                if (pattern is null || !new GlobPattern(pattern.Name).IsMatch(channel))
                    continue;
                var message = new PublishedMessage(ChannelKind.Pattern, pattern.Name, channel, payload);
                receivers += Deliver(pattern, ref message, publisher);
            }

            return receivers;
        }
    }

    /// <summary>Gives a message to the subscribers of a shard channel.</summary>
    /// <returns>The number of those that get it.</returns>
    public int PublishToShard(ReadOnlySpan<byte> channel, ReadOnlySpan<byte> payload, Publisher publisher)
    {
        if (Find(ChannelKind.Shard, channel) is not { } found)
            return 0;
        lock (TurnOf(channel))
        {
            var message = new PublishedMessage(ChannelKind.Shard, default, channel, payload);
            return Deliver(found, ref message, publisher);
        }
    }

    private static int Deliver(Channel channel, scoped ref PublishedMessage message, Publisher publisher)
    {
        int receivers = 0;
        foreach (var subscription in channel.Places)
        {
            if (subscription is not null && subscription.Deliver(ref message, publisher))
                receivers++;
        }

        return receivers;
    }

    private static ConcurrentDictionary<byte[], Channel> Named() => new(NameComparer.Instance);

    private static Lock[] MakeTurns()
    {
        var turns = new Lock[Turns];
        for (int i = 0; i < turns.Length; i++)
            turns[i] = new Lock();
        return turns;
    }

    private Lock TurnOf(ReadOnlySpan<byte> channel) =>
        _turns[(uint)NameComparer.Instance.GetHashCode(channel) % Turns];

    private Channel? Find(ChannelKind kind, ReadOnlySpan<byte> name) =>
        _named[(int)kind].GetAlternateLookup<ReadOnlySpan<byte>>().TryGetValue(name, out var channel) ? channel : null;

    private Channel AddChannel(ChannelKind kind, byte[] name)
    {
        var channel = new Channel(name, kind);
        _named[(int)kind][name] = channel;
        if (kind != ChannelKind.Shard)
            Volatile.Write(ref _heard, _heard + 1);
        if (kind == ChannelKind.Pattern)
            _patterns.Add(channel);
        return channel;
    }

    private void Remove(Subscriptions client, Subscription subscription)
    {
        var channel = subscription.Channel;
        subscription.End();
        channel.Remove(subscription);
        client.Remove(subscription);
        memory.Count(-BytesOf(channel.Name));
        if (channel.Kind == ChannelKind.Pattern)
            _patternSubscriptions--;
        if (channel.Count > 0)
            return;
        _named[(int)channel.Kind].TryRemove(channel.Name, out _);
        if (channel.Kind != ChannelKind.Shard)
            Volatile.Write(ref _heard, _heard - 1);
        if (channel.Kind == ChannelKind.Pattern)
            _patterns.Remove(channel);
    }

    // An emptied dictionary is walked over from its first place: the more there are, the longer are the steps.
    private static int StepOf(int count) => Math.Max(StepMin, count / StepShare);

    /// <returns>Whether none is left.</returns>
    private bool TryClear(Subscriptions client)
    {
        for (var kind = ChannelKind.Channel; kind <= ChannelKind.Shard; kind++)
        {
            int left = StepOf(client.Of(kind).Count);
            foreach (var subscription in client.Of(kind))
            {
                if (left-- == 0)
                    return false;
                Remove(client, subscription); // Removing during an enumeration is allowed.
            }
        }

        return true;
    }

    private sealed class PatternList : PlaceList<Channel>;
}
