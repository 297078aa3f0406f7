using System.Globalization;
using System.Text;
using Cache.Server.Clients;
using Cache.Server.PubSub;
using Cache.Server.Settings;
using Cache.Server.Tests.Connections;
using Cache.Testing;

namespace Cache.Server.Tests.PubSub;

/// <summary>Subscribers over connections: their order, their limits, their end.</summary>
public sealed class SubscriberTests : ConnectionTestBase
{
    private static readonly TimeSpan _patience = TimeSpan.FromMinutes(5);

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Publish_ToASubscriberAtRest_LeavesAtOnce()
    {
        await using var server = await StartAsync();
        var (subscriber, publisher) = (server.Connect(), server.Connect());
        Assert.Equal(Confirmation("subscribe", "a", 1), subscriber.Exchange(Request("SUBSCRIBE", "a")));

        Assert.Equal(":1\r\n", publisher.Exchange(Request("PUBLISH", "a", "1")));

        string message = Message("a", "1");
        Assert.Equal(message, Encoding.Latin1.GetString(await subscriber.ReadAsync(message.Length, Token)));
    }

    [Fact]
    public async Task Publish_BehindSubscribeInOnePipeline_ComesInOrder()
    {
        await using var server = await StartAsync();
        var client = server.Connect();
        client.Exchange(Request("HELLO", "3"));

        string replies = client.Exchange(
            Request("SUBSCRIBE", "a") + Request("PUBLISH", "a", "1") + Request("PING") + Request("PUBLISH", "a", "2")
            + Request("UNSUBSCRIBE", "a") + Request("PUBLISH", "a", "3"));

        string expected = Confirmation("subscribe", "a", 1) + Message("a", "1") + ":1\r\n+PONG\r\n" + Message("a", "2")
            + ":1\r\n" + Confirmation("unsubscribe", "a", 0) + ":0\r\n";
        Assert.Equal(expected.Replace("*3", ">3", StringComparison.Ordinal), replies);
    }

    // Redis 7.0 writes it between the elements, which no client can read; later versions do the same as this server.
    [Fact]
    public async Task Publish_ToItselfInATransaction_ComesBehindItsReply()
    {
        await using var server = await StartAsync();
        var client = server.Connect();
        client.Exchange(Request("HELLO", "3"));
        client.Exchange(Request("SUBSCRIBE", "a"));
        client.Exchange(Request("SSUBSCRIBE", "s"));

        string replies = client.Exchange(
            Request("MULTI") + Request("SET", "k", "1") + Request("PUBLISH", "a", "1") + Request("SPUBLISH", "s", "2")
            + Request("SUBSCRIBE", "b") + Request("PUBLISH", "b", "3") + Request("UNSUBSCRIBE", "b")
            + Request("GET", "k") + Request("EXEC") + Request("PING"));

        string queued = Repeat("+QUEUED\r\n", 7);
        string expected = "+OK\r\n" + queued + "*7\r\n+OK\r\n:1\r\n:1\r\n"
            + Confirmation("subscribe", "b", 2) + ":1\r\n" + Confirmation("unsubscribe", "b", 1)
            + Bulk("1") + Message("a", "1")
            + Message("s", "2").Replace("$7\r\nmessage", "$8\r\nsmessage", StringComparison.Ordinal)
            + Message("b", "3") + "+PONG\r\n";
        Assert.Equal(expected.Replace("*3", ">3", StringComparison.Ordinal), replies);
    }

    [Fact]
    public async Task Hello_OfASubscriber_DividesTheMessages()
    {
        await using var server = await StartAsync();
        var (client, publisher) = (server.Connect(), server.Connect());
        client.Exchange(Request("HELLO", "3"));
        client.Exchange(Request("SUBSCRIBE", "a"));
        var outbox = server.Server.State.Clients.Find(1)!.Outbox!;

        Assert.StartsWith("*14", client.Exchange(Request("HELLO", "2")));
        publisher.Exchange(Request("PUBLISH", "a", "1"));

        string message = Message("a", "1");
        Assert.Equal(message, Encoding.Latin1.GetString(await client.ReadAsync(message.Length, Token)));
        Assert.True(outbox.TrySetProtocolVersion(2));
    }

    [Fact]
    public async Task Publish_ToASubscriberThatTakesNothing_EndsItAtTheHardLimit()
    {
        await using var server = await StartAsync();
        var (slow, quick, publisher) = (server.Connect(), server.Connect(), server.Connect());
        publisher.Exchange(Request("CONFIG", "SET", "client-output-buffer-limit", "pubsub 2mb 0 0"));
        slow.Exchange(Request("SUBSCRIBE", "a"));
        quick.Exchange(Request("SUBSCRIBE", "a"));
        string payload = new('x', 100_000);
        int count = 0;
        for (; server.Server.State.Channels.CountSubscribers(ChannelKind.Channel, "a"u8) == 2; count++)
        {
            publisher.Exchange(Request("PUBLISH", "a", payload));
            await quick.ReadAsync(Message("a", payload).Length, Token);
        }

        Assert.InRange(count, 19, 25); // Some of it is in the pipe.
        Assert.Equal(1, server.Server.State.Limits[ConnectionLimit.OutputBuffer]);
        Assert.Equal(":1\r\n", publisher.Exchange(Request("PUBLISH", "a", "x")));
    }

    [Fact]
    public void Post_AboveTheSoftLimitForItsSeconds_EndsTheClient()
    {
        using var server = new Commands.TestServer();
        server.State.Settings.SetOutputLimits("normal 67108864 0 0 slave 0 0 0 pubsub 0 1000 60");
        var (slow, publisher) = (server.Connect(), server.Connect());
        var clock = (FakeTimeProvider)server.State.TimeProvider;
        slow.Run("SUBSCRIBE a");
        publisher.Call("PUBLISH", "a", new string('x', 2000));
        clock.Advance(40_000);
        slow.Client.Outbox!.EnforceSoftLimit();
        Assert.False(slow.IsAborted);
        slow.Receive();
        publisher.Call("PUBLISH", "a", new string('x', 2000));
        clock.Advance(40_000);
        slow.Client.Outbox!.EnforceSoftLimit();
        Assert.False(slow.IsAborted); // It was below the limit meanwhile.

        clock.Advance(21_000);
        slow.Client.Outbox!.EnforceSoftLimit();

        Assert.True(slow.IsAborted);
        Assert.Equal(":0\r\n", publisher.Run("PUBLISH a 1"));
    }

    [Fact]
    public void PubSubOf_OfAWholeValue_HasItsLimits() =>
        Assert.Equal(
            new OutputLimit(long.MaxValue, 5, 7_000), OutputLimits.PubSubOf("normal 1 2 3 slave 4 5 6 pubsub 0 5 7"));

    // A message is framed once for each version, and subscriptions count as the client's memory until they end.
    [Fact]
    public void Subscribe_OfManyClients_IsSmallAndSharesMessages()
    {
        const int Clients = 2000;
        const int BytesMax = 400;
        using var server = new Commands.TestServer();
        var publisher = server.Connect();
        var clients = new List<Commands.CommandClient>();
        for (int i = 0; i < Clients; i++)
            clients.Add(server.Connect(i % 2 == 0 ? 2 : 3));
        clients[0].Run("SUBSCRIBE warm");
        long memory = server.State.ClientMemory.Bytes;
        long before = GC.GetAllocatedBytesForCurrentThread();
        foreach (var client in clients)
            server.State.Channels.Subscribe(client.Context.OpenSubscriptions(), ChannelKind.Channel, "a"u8);
        long each = (GC.GetAllocatedBytesForCurrentThread() - before) / Clients;

        Assert.InRange(each, 100, BytesMax);
        Assert.Equal(Clients * (ChannelTable.SubscriptionBytes + 1L), server.State.ClientMemory.Bytes - memory);
        Assert.Equal($":{Clients}\r\n", publisher.Call("PUBLISH", "a", new string('x', 1000)));
        Assert.True(clients[1].Client.Outbox!.TryTake(out var one));
        Assert.True(clients[3].Client.Outbox!.TryTake(out var other));
        Assert.True(one.Equals(other));
        clients.ForEach(static client => client.Client.Kill());
        Assert.Equal(0, server.State.Channels.CountSubscribers(ChannelKind.Channel, "a"u8));
    }

    // Each step is as long as the first, whatever there is: else these took minutes.
    [Fact]
    public void Subscriptions_OfHundredThousands_ComeAndGoInLinearTime()
    {
        const int Names = 100_000;
        using var server = new Commands.TestServer();
        var (client, other) = (server.Connect(), server.Connect());
        Assert.Equal("+OK\r\n", other.Run("CONFIG SET maxmemory-clients 1gb"));
        var table = server.State.Channels;
        var subscriptions = client.Context.OpenSubscriptions();
        var second = other.Context.OpenSubscriptions();
        for (int i = 0; i < Names; i++)
        {
            table.Subscribe(subscriptions, ChannelKind.Pattern, BitConverter.GetBytes(i));
            table.Subscribe(subscriptions, ChannelKind.Channel, BitConverter.GetBytes(i));
        }

        table.Subscribe(second, ChannelKind.Pattern, "b*"u8);
        Assert.Equal(Names + 1, table.PatternCount);
        Assert.Equal(1, table.Publish("bc"u8, "1"u8, default));
        while (table.FindSome(subscriptions, ChannelKind.Channel) is { Count: > 0 } names)
            names.ForEach(name => table.Unsubscribe(subscriptions, ChannelKind.Channel, name));
        Assert.Equal(Names, subscriptions.Count);

        subscriptions.End();

        SpinWait.SpinUntil(() => subscriptions.Count == 0, _patience);
        Assert.Equal((1, 1), (table.PatternCount, table.PatternSubscriptionCount));
        table.Subscribe(subscriptions, ChannelKind.Pattern, "b*"u8);
        Assert.Equal(1, table.Publish("bc"u8, "1"u8, default));
    }

    // Clients come, go and are killed while several threads publish: each sees the messages of a channel in one order,
    // and none behind the confirmation of its end.
    [Fact]
    public Task Publish_WhileSubscribersComeAndGo_KeepsTheOrder() => RandomSeed.RunAsync(this, async seed =>
    {
        const int Publishers = 3;
        const int Listeners = 6;
        const int Rounds = 20;
        await using var server = await StartAsync();
        var table = server.Server.State.Channels;
        using var end = new CancellationTokenSource();
        using var wanted = new SemaphoreSlim(0); // So many that no subscriber meets its limit.
        long number = 0;
        // On threads of their own, since they block.
        var publishing = Enumerable.Range(0, Publishers).Select(publisher => Task.Factory.StartNew(() =>
        {
            while (!end.IsCancellationRequested)
            {
                if (!wanted.Wait(TimeSpan.FromMilliseconds(20), Token))
                    continue;
                long mine = Interlocked.Increment(ref number);
                table.Publish("a"u8, Encoding.ASCII.GetBytes($"{publisher}:{mine:D12}"), default);
            }
        }, Token, TaskCreationOptions.LongRunning, TaskScheduler.Default)).ToList();
        using var all = server.Server.PubSub.Subscribe(RespSubscription.CapacityMax, "a");
        var listening = Enumerable.Range(0, Listeners).Select(listener => Task.Run(
            () => ListenAsync(server, wanted, new Random(seed + listener), Rounds), Token)).ToList();
        var heard = new List<string[]>();
        try
        {
            foreach (var one in listening)
                heard.AddRange(await one.WaitAsync(_patience, Token));
        }
        finally
        {
            await end.CancelAsync();
            await Task.WhenAll(publishing);
        }

        var whole = new Dictionary<string, int>();
        while (all.TryRead(out var message))
            whole.Add(message.PayloadText, whole.Count);
        Assert.Equal(0, all.DroppedCount);
        foreach (string[] stretch in heard)
        {
            for (int i = 1; i < stretch.Length; i++)
                Assert.Equal(whole[stretch[i - 1]] + 1, whole[stretch[i]]); // None is missing in between.
        }
    });

    private static async Task<List<string[]>> ListenAsync(
        InMemoryServer server, SemaphoreSlim wanted, Random random, int rounds)
    {
        const int Wanted = 30;
        var heard = new List<string[]>();
        var client = Connect(server);
        long id = IdOf(client);
        for (int i = 0; i < rounds; i++)
        {
            client.Send(Request("SUBSCRIBE", "a"));
            string opening = Confirmation("subscribe", "a", 1);
            Assert.Equal(opening, Encoding.Latin1.GetString(await client.ReadAsync(opening.Length, Token)));
            wanted.Release(Wanted);
            var stretch = new List<string>();
            string message = Message("a", "0:000000000000");
            for (int count = random.Next(5); count > 0; count--)
                stretch.Add(PayloadOf(Encoding.Latin1.GetString(await client.ReadAsync(message.Length, Token))));
            client.Send(Request("UNSUBSCRIBE", "a") + Request("ECHO", "end"));
            string closing = Confirmation("unsubscribe", "a", 0) + "$3\r\nend\r\n";
            var text = new StringBuilder();
            while (!text.ToString().EndsWith("end\r\n", StringComparison.Ordinal))
                text.Append(Encoding.Latin1.GetString(await client.ReadAsync(1, Token)));
            string rest = text.ToString();
            Assert.EndsWith(closing, rest);
            for (int at = 0; at < rest.Length - closing.Length; at += message.Length)
                stretch.Add(PayloadOf(rest.Substring(at, message.Length)));
            heard.Add([.. stretch]);
            if (random.Next(8) == 0)
            {
                client.Send(Request("SUBSCRIBE", "a")); // It is killed as a subscriber.
                server.Server.State.Clients.Find(id)?.Kill();
                client = Connect(server);
                id = IdOf(client);
            }
        }

        return heard;
    }

    // Arrivals are of one thread at a time.
    private static InMemoryClient Connect(InMemoryServer server)
    {
        lock (server)
            return server.Connect();
    }

    private static long IdOf(InMemoryClient client) =>
        long.Parse(client.Exchange(Request("CLIENT", "ID"))[1..], CultureInfo.InvariantCulture);

    private static string PayloadOf(string message) => message.Split("\r\n")[6];

    private static string Message(string channel, string payload) =>
        "*3\r\n" + Bulk("message") + Bulk(channel) + Bulk(payload);

    private static string Confirmation(string word, string channel, int count) =>
        "*3\r\n" + Bulk(word) + Bulk(channel) + $":{count}\r\n";
}
