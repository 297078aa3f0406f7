using System.Text;
using Cache.Core;
using Cache.Server.Tests.Connections;
using Cache.Testing;

namespace Cache.Server.Tests.Tracking;

/// <summary>CLIENT TRACKING over connections. Replies and messages are those of redis-server 7.0.15.</summary>
public sealed class TrackingTests : ConnectionTestBase
{
    private const string Ok = "+OK\r\n";
    private const string Message = "*3\r\n$7\r\nmessage\r\n$20\r\n__redis__:invalidate\r\n";
    private const string All = ">2\r\n$10\r\ninvalidate\r\n_\r\n";

    [Fact]
    public async Task Set_OfAReadKey_IsToldOnce()
    {
        await using var server = await StartAsync();
        var (tracker, writer) = (await ConnectAsync(server), server.Connect());
        Assert.Equal(Ok, await AskAsync(tracker, Request("CLIENT", "TRACKING", "on")));
        Assert.Equal("_\r\n", await AskAsync(tracker, Request("GET", "a")));

        writer.Exchange(Request("SET", "a", "1"));
        await ExpectAsync(tracker, Invalid("a"));
        writer.Exchange(Request("SET", "a", "2"));

        Assert.Equal("$1\r\n2\r\n", await AskAsync(tracker, Request("GET", "a")));
    }

    [Fact]
    public async Task Pipeline_OfOwnWrites_IsToldBehindEachReply()
    {
        await using var server = await StartAsync();
        var tracker = await ConnectAsync(server);

        tracker.Send(
            Request("CLIENT", "TRACKING", "on") + Request("GET", "a") + Request("SET", "a", "2") + Request("GET", "a")
            + Request("PING") + Request("SET", "a", "3") + Request("FLUSHALL") + Request("PING"));

        await ExpectAsync(
            tracker,
            Ok + "_\r\n" + Ok + Invalid("a") + Bulk("2") + "+PONG\r\n" + Ok + Invalid("a") + Ok + All + "+PONG\r\n");
    }

    [Fact]
    public async Task Broadcast_OfOwnWrites_IsToldTogetherBehindTheReply()
    {
        await using var server = await StartAsync();
        var tracker = await ConnectAsync(server);
        await AskAsync(tracker, Request("CLIENT", "TRACKING", "on", "BCAST"));

        tracker.Send(Request("MSET", "b", "1", "a", "2", "b", "3"));

        await ExpectAsync(tracker, Ok + Invalid("a", "b"));
    }

    [Fact]
    public async Task WritesInProcess_AreTold()
    {
        await using var server = await StartAsync();
        var (tracker, all) = (await ConnectAsync(server), await ConnectAsync(server));
        await AskAsync(tracker, Request("CLIENT", "TRACKING", "on"));
        await AskAsync(all, Request("CLIENT", "TRACKING", "on", "BCAST", "PREFIX", "k:"));
        await AskAsync(tracker, Request("MGET", "k:1", "x"));

        Store.Set("k:1"u8, "v"u8);
        await ExpectAsync(tracker, Invalid("k:1"));
        await ExpectAsync(all, Invalid("k:1"));
        await AskAsync(tracker, Request("MGET", "k:1", "x"));
        Store.Remove("k:1"u8);
        await ExpectAsync(tracker, Invalid("k:1"));
        await ExpectAsync(all, Invalid("k:1"));
        Store.Clear();
        await ExpectAsync(tracker, All);
        await ExpectAsync(all, All);
    }

    [Fact]
    public async Task Expiry_IsTold_ByTheSweepAndByARead()
    {
        await using var server = await StartAsync();
        var (tracker, other) = (await ConnectAsync(server), server.Connect());
        await AskAsync(tracker, Request("CLIENT", "TRACKING", "on", "NOLOOP"));
        other.Exchange(Request("SET", "a", "1", "PX", "100"));
        await AskAsync(tracker, Request("GET", "a"));

        Clock.Advance(TimeSpan.FromMilliseconds(101));
        other.Exchange(Request("GET", "a"));

        await ExpectAsync(tracker, Invalid("a"));
    }

    [Fact]
    public async Task Eviction_IsTold()
    {
        await using var server = await StartAsync();
        var tracker = await ConnectAsync(server);
        Store.Set("first"u8, new byte[1000]);
        await AskAsync(tracker, Request("CLIENT", "TRACKING", "on"));
        await AskAsync(tracker, Request("STRLEN", "first"));

        byte[] value = new byte[4000];
        for (int i = 0; i < 20_000; i++)
            Store.Set(BitConverter.GetBytes(i), value);

        await ExpectAsync(tracker, Invalid("first"));
    }

    [Fact]
    public async Task SwapDatabases_TellsAll()
    {
        await using var server = await StartAsync();
        var (tracker, other) = (await ConnectAsync(server), server.Connect());
        await AskAsync(tracker, Request("CLIENT", "TRACKING", "on"));
        await AskAsync(tracker, Request("GET", "a"));

        other.Send(Request("SWAPDB", "0", "1"));

        await ExpectAsync(other, Ok);
        await ExpectAsync(tracker, All);
    }

    [Fact]
    public async Task Redirect_ToAClientThatHasGone_IsToldAsBroken()
    {
        await using var server = await StartAsync();
        var (tracker, target) = (await ConnectAsync(server), await ConnectAsync(server));
        await AskAsync(target, Request("CLIENT", "TRACKING", "on", "BCAST"));
        long id = server.Server.State.Clients.ToList()[^1].Id;
        Assert.Equal(Ok, await AskAsync(tracker, Request("CLIENT", "TRACKING", "on", "REDIRECT", $"{id}")));
        await AskAsync(tracker, Request("GET", "a"));
        Store.Set("a"u8, "1"u8);
        await ExpectAsync(target, Invalid("a") + Invalid("a"));
        await AskAsync(tracker, Request("GET", "a"));
        target.Close();
        await Polling.WhileAsync(() => server.Server.State.Clients.Count > 1);

        Store.Set("a"u8, "2"u8);

        await ExpectAsync(tracker, $">2\r\n$21\r\ntracking-redir-broken\r\n:{id}\r\n");
        Assert.Contains("$15\r\nbroken_redirect\r\n", await AskAsync(tracker, Request("CLIENT", "TRACKINGINFO")));
        Assert.Contains($" flags=tR ", await AskAsync(tracker, Request("CLIENT", "LIST")));
        Assert.Contains($" redir={id} ", await AskAsync(tracker, Request("CLIENT", "LIST")));
    }

    [Fact]
    public async Task Redirect_ToASubscriberOfResp2_IsAMessageOfTheChannel()
    {
        await using var server = await StartAsync();
        var (tracker, target) = (server.Connect(), server.Connect());
        await AskAsync(target, Request("SUBSCRIBE", "__redis__:invalidate"), "*2\r\n$4\r\npong\r\n$0\r\n\r\n");
        long id = server.Server.State.Clients.ToList()[^1].Id;
        Assert.Equal(Ok, await AskAsync(tracker, Request("CLIENT", "TRACKING", "on", "REDIRECT", $"{id}")));
        await AskAsync(tracker, Request("GET", "a"));

        Store.Set("a"u8, "1"u8);
        await ExpectAsync(target, Message + "*1\r\n" + Bulk("a"));
        Store.Clear();
        await ExpectAsync(target, Message + "$-1\r\n");
    }

    [Fact]
    public async Task Redirect_ToAClientThatNobodyPushedTo_IsToldBeforeItsNextReply()
    {
        await using var server = await StartAsync();
        var (tracker, target) = (server.Connect(), await ConnectAsync(server));
        long id = server.Server.State.Clients.ToList()[^1].Id;
        Assert.Equal(Ok, await AskAsync(tracker, Request("CLIENT", "TRACKING", "on", "REDIRECT", $"{id}")));
        await AskAsync(tracker, Request("GET", "a"));
        Store.Set("a"u8, "1"u8);
        Assert.Equal(Invalid("a"), await AskAsync(target, ""));
        await AskAsync(tracker, Request("GET", "a"));

        Store.Set("a"u8, "2"u8);

        await ExpectAsync(target, Invalid("a"));
    }

    // It rests, and its connection has not seen the outbox that the tracker's command has made.
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Redirect_ToAClientThatWaits_IsToldAtOnce(bool isBlocked)
    {
        await using var server = await StartAsync(bounds: new InMemoryBounds { SharesThread = true });
        var (tracker, target) = (server.Connect(), await ConnectAsync(server));
        long id = server.Server.State.Clients.ToList()[^1].Id;
        if (isBlocked)
            target.Send(Request("BLPOP", "list", "0"));
        await Polling.WhileAsync(() => server.Server.State.Waits.Count != (isBlocked ? 1 : 0));
        Assert.Equal(Ok, await AskAsync(tracker, Request("CLIENT", "TRACKING", "on", "REDIRECT", $"{id}")));
        await AskAsync(tracker, Request("GET", "a"));

        Store.Set("a"u8, "1"u8);

        await ExpectAsync(target, Invalid("a"));
        if (isBlocked)
            Store.List("list"u8).Push(ListEnd.Left, "x"u8);
        else
            target.Send(Request("ECHO", "x"));
        await ExpectAsync(target, isBlocked ? "*2\r\n" + Bulk("list") + Bulk("x") : Bulk("x"));
        await AskAsync(tracker, Request("GET", "a"));
        Store.Set("a"u8, "2"u8);
        await ExpectAsync(target, Invalid("a"));
    }

    // Who is served changes keys for the pusher: it is told of what was taken from the key, and who was served is not
    // told of what it has moved there itself, if it wants so.
    [Fact]
    public async Task ServedMove_WithNoLoop_IsToldToThePusherOnly()
    {
        await using var server = await StartAsync(bounds: new InMemoryBounds { SharesThread = true });
        var (waiter, pusher) = (await ConnectAsync(server), await ConnectAsync(server));
        await AskAsync(waiter, Request("CLIENT", "TRACKING", "on", "NOLOOP") + Request("LLEN", "to"));
        await AskAsync(pusher, Request("CLIENT", "TRACKING", "on", "NOLOOP") + Request("LLEN", "to"));
        waiter.Send(Request("BLMOVE", "from", "to", "LEFT", "LEFT", "0"));
        await Polling.WhileAsync(() => server.Server.State.Waits.Count == 0);

        Assert.Equal(":1\r\n" + Invalid("to"), await AskAsync(pusher, Request("RPUSH", "from", "x")));

        await ExpectAsync(waiter, Bulk("x"));
        Assert.Equal("", await AskAsync(waiter, ""));
    }

    [Fact]
    public async Task Exec_OfReadsAndWrites_IsToldBehindItsReply()
    {
        await using var server = await StartAsync();
        var tracker = await ConnectAsync(server);
        await AskAsync(tracker, Request("CLIENT", "TRACKING", "on", "OPTIN"));

        string reply = await AskAsync(
            tracker,
            Request("CLIENT", "CACHING", "yes") + Request("MULTI") + Request("GET", "a") + Request("SET", "a", "1")
            + Request("EXEC"));

        const string Queued = "+QUEUED\r\n";
        Assert.Equal(Ok + Ok + Queued + Queued + "*2\r\n_\r\n" + Ok + Invalid("a"), reply);
        await AskAsync(tracker, Request("GET", "a"));
        Store.Set("a"u8, "2"u8);
        Assert.Equal("", await AskAsync(tracker, ""));
    }

    [Fact]
    public async Task BlockedClient_IsToldMeanwhile_AndOthersOfWhatItTakes()
    {
        await using var server = await StartAsync();
        var (tracker, waiter, other) = (await ConnectAsync(server), await ConnectAsync(server), server.Connect());
        await AskAsync(tracker, Request("CLIENT", "TRACKING", "on"));
        await AskAsync(tracker, Request("LLEN", "list"));
        await AskAsync(waiter, Request("CLIENT", "TRACKING", "on") + Request("GET", "a"));
        waiter.Send(Request("BLPOP", "list", "0"));

        Store.Set("a"u8, "1"u8);
        await ExpectAsync(waiter, Invalid("a"));
        other.Exchange(Request("RPUSH", "list", "x"));

        await ExpectAsync(waiter, "*2\r\n" + Bulk("list") + Bulk("x"));
        await ExpectAsync(tracker, Invalid("list"));
        Assert.Equal(":0\r\n", await AskAsync(tracker, Request("LLEN", "list")));
    }

    [Fact]
    public async Task TableMaxKeys_Lowered_TellsOfForgottenKeys()
    {
        await using var server = await StartAsync();
        var tracker = await ConnectAsync(server);
        await AskAsync(tracker, Request("CLIENT", "TRACKING", "on"));
        await AskAsync(tracker, Request("MGET", "a", "b", "c", "d"));
        string info = await AskAsync(tracker, Request("INFO", "stats"));
        Assert.Contains("tracking_total_keys:4\r\ntracking_total_items:4\r\n", info);
        await AskAsync(tracker, Request("CONFIG", "SET", "tracking-table-max-keys", "1"));

        Clock.Advance(TimeSpan.FromSeconds(1));

        await ExpectLengthAsync(tracker, 3 * Invalid("a").Length);
        Assert.Contains("tracking_total_keys:1\r\n", await AskAsync(tracker, Request("INFO", "stats")));
    }

    [Fact]
    public async Task Off_AndTheEndOfTheLastClient_LeaveTheStoreAlone()
    {
        await using var server = await StartAsync();
        var (tracker, other) = (await ConnectAsync(server), await ConnectAsync(server));
        await AskAsync(tracker, Request("CLIENT", "TRACKING", "on"));
        other.Exchange(Request("CLIENT", "TRACKING", "on", "BCAST", "PREFIX", "x"));
        await AskAsync(tracker, Request("GET", "a"));
        string info = await AskAsync(tracker, Request("INFO"));
        Assert.Contains("tracking_clients:2\r\n", info);
        Assert.Contains("tracking_total_prefixes:1\r\n", info);

        await AskAsync(tracker, Request("RESET"));
        other.Close();
        await Polling.WhileAsync(() => server.Server.State.Clients.Count > 1);

        info = await AskAsync(tracker, Request("INFO"));
        Assert.Contains("tracking_clients:0\r\n", info);
        Assert.Contains("tracking_total_keys:0\r\ntracking_total_items:0\r\ntracking_total_prefixes:0\r\n", info);
        Store.Set("a"u8, "1"u8);
        Assert.Equal("", await AskAsync(tracker, ""));
    }

    // With a PING behind it, whose reply is taken off: a client with an outbox may be served by another thread.
    private static async Task<string> AskAsync(InMemoryClient client, string request, string pong = "+PONG\r\n")
    {
        client.Send(request + Request("PING"));
        var reply = new StringBuilder();
        while (!reply.ToString().EndsWith(pong, StringComparison.Ordinal))
            reply.Append(await ExpectLengthAsync(client, 1));
        return reply.ToString(0, reply.Length - pong.Length);
    }

    private static string Invalid(params string[] keys) =>
        $">2\r\n$10\r\ninvalidate\r\n*{keys.Length}\r\n" + string.Concat(keys.Select(Bulk));

    private static async Task<InMemoryClient> ConnectAsync(InMemoryServer server)
    {
        var client = server.Connect();
        await AskAsync(client, Request("HELLO", "3"));
        return client;
    }

    private static async Task ExpectAsync(InMemoryClient client, string text) =>
        Assert.Equal(text, await ExpectLengthAsync(client, text.Length));

    private static async Task<string> ExpectLengthAsync(InMemoryClient client, int length) =>
        Encoding.Latin1.GetString(
            await client.ReadAsync(length, TestContext.Current.CancellationToken)
                .AsTask().WaitAsync(TimeSpan.FromSeconds(60)));
}
