using System.Text;
using Cache.Core;
using Cache.Server.Clients;
using Cache.Testing;

namespace Cache.Server.Tests.Connections;

/// <summary>Requests that are executed elsewhere, since others wait for the thread that brought them.</summary>
public sealed class SuspensionTests : ConnectionTestBase
{
    private const int ManyKeys = 3000;

    // A short request for much work.
    private const string LongWritten = ":600001\r\n";
    private static readonly string _longWrite = Request("SETRANGE", "long", "600000", "x");

    private static readonly InMemoryBounds _shared = new() { SharesThread = true };

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Send_LongCommandsAmongShortOnes_AreAnsweredInOrder()
    {
        await using var server = await StartAsync(bounds: _shared);
        var client = server.Connect();

        await ExchangeAsync(
            client,
            Request("SET", "a", "1") + Request("KEYS", "*") + Request("INCR", "a") + Request("GET", "a")
            + Request("SET", "b", new string('x', 2000)) + Request("SET", "c", new string('x', 2000))
            + Request("LCS", "b", "c", "LEN") + Request("RANDOMKEY", "wrong") + Request("GET", "a")
            + Request("FLUSHALL") + Request("KEYS", "*") + Request("GET", "a") + Request("PING"),
            "+OK\r\n*1\r\n" + Bulk("a") + ":2\r\n" + Bulk("2") + "+OK\r\n+OK\r\n:2000\r\n"
            + "-ERR wrong number of arguments for 'randomkey' command\r\n" + Bulk("2")
            + "+OK\r\n*0\r\n$-1\r\n+PONG\r\n");
        Assert.Equal(1, server.Server.Workers.Count);
    }

    [Fact]
    public Task Send_ManyArgumentsInAnyPieces_AreTakenAsAnyOther() => RandomSeed.RunAsync(this, async seed =>
    {
        var random = new Random(seed);
        await using var server = await StartAsync(bounds: _shared);
        string[] keys = Enumerable.Range(0, ManyKeys).Select(i => $"key:{i}").ToArray();
        string[] entries = keys.SelectMany(static key => new[] { key, "v" }).ToArray();
        string requests = Request(["MSET", .. entries]) + Request("PING") + Request(["EXISTS", .. keys])
            + Request(["TOUCH", .. keys]) + Request("GET", "key:7") + Request(["UNLINK", .. keys])
            + Request(["DEL", .. keys]) + Request("ECHO", "end");
        string replies = $"+OK\r\n+PONG\r\n:{ManyKeys}\r\n:{ManyKeys}\r\n"
            + $"{Bulk("v")}:{ManyKeys}\r\n:0\r\n{Bulk("end")}";
        for (int round = 0; round < 10; round++)
        {
            var client = server.Connect();
            var reading = client.ReadAsync(replies.Length, Token);
            for (int sent = 0; sent < requests.Length;)
            {
                int length = Math.Min(random.Next(1, round % 2 == 0 ? 5000 : 100_000), requests.Length - sent);
                await Polling.WhileAsync(() => client.IsPaused);
                client.Send(requests.Substring(sent, length));
                sent += length;
            }

            Assert.Equal(replies, Encoding.Latin1.GetString(await reading));
            client.Close();
        }

        Assert.Equal(10 * 5, server.Server.Workers.Count);
    });

    [Fact]
    public async Task Send_LongCommandsThatFillAStretchEach_AreTakenOneAfterTheOther()
    {
        const string Request = "RANDOMKEY     \r\n";
        await using var server = await StartAsync(
            bounds: new InMemoryBounds { SharesThread = true, InputSegmentBytes = Request.Length });

        await ExchangeAsync(server.Connect(), Repeat(Request, 8) + "PING\r\n", Repeat("$-1\r\n", 8) + "+PONG\r\n");
        Assert.Equal(8, server.Server.Workers.Count);
    }

    [Fact]
    public async Task Send_LongArgumentToACommandThatGivesWay_KeepsIt()
    {
        string longer = new('l', 700_000);
        string argument = new('a', 200_000);
        Store.Set("k"u8, Encoding.Latin1.GetBytes(longer));
        await using var server = await StartAsync(bounds: _shared);
        var client = server.Connect();

        string request = Request("SET", "k", argument, "GET");
        client.Send(request[..100_000]);
        await ExchangeAsync(
            client,
            request[100_000..] + Request("STRLEN", "k"),
            Bulk(longer) + $":{argument.Length}\r\n");
        Assert.Equal(1, server.Server.Workers.Count);
    }

    [Fact]
    public async Task Send_LongCommandAfterReplySkip_SkipsItsReplyOnly()
    {
        await using var server = await StartAsync(bounds: _shared);
        var client = server.Connect();

        await ExchangeAsync(
            client,
            Request("CLIENT", "REPLY", "SKIP") + _longWrite + Request("PING"),
            "+PONG\r\n");
        Assert.Equal(1, server.Server.Workers.Count);
    }

    [Fact]
    public async Task Send_LongCommand_IsCountedOnce()
    {
        Store.Set("a"u8, "1"u8);
        await using var server = await StartAsync(bounds: _shared);
        var client = server.Connect();

        await ExchangeAsync(client, Request("KEYS", "*") + Request("LCS", "a", "a", "LEN"), "*1\r\n$1\r\na\r\n:1\r\n");

        Assert.Equal(2, server.Server.State.Statistics.SumTraffic().Commands);
    }

    [Fact]
    public async Task Send_KeysOfAnEmptyKeyspaceBesideAFullOne_IsAnsweredAtOnce()
    {
        Store.Set("a"u8, "1"u8);
        await using var server = await StartAsync(bounds: _shared);

        Assert.Equal("+OK\r\n*0\r\n", server.Connect().Exchange(Request("SELECT", "1") + Request("KEYS", "*")));
        Assert.Equal(0, server.Server.Workers.Count);
    }

    [Fact]
    public async Task Send_WhileAllWorkersAreBusy_DoesNotKeepOthers()
    {
        await using var server = await StartAsync(bounds: _shared);
        using var gate = new ManualResetEventSlim();
        var blocks = BusyWorkers.Block(server.Server, gate);
        var client = server.Connect();

        client.Send(Request("PING") + _longWrite + Request("PING"));

        Assert.Equal("+PONG\r\n", Encoding.Latin1.GetString(client.ReadAll()));
        Assert.Equal("+PONG\r\n", server.Connect().Exchange(Request("PING")));
        gate.Set();
        Assert.Equal(LongWritten + "+PONG\r\n", Encoding.Latin1.GetString(await client.ReadAsync(16, Token)));
        await blocks;
    }

    [Fact]
    public async Task Send_CommandsOfAnAdministratorWhileAllWorkersAreBusy_AreAnswered()
    {
        await using var server = await StartAsync(bounds: _shared);
        using var gate = new ManualResetEventSlim();
        var blocks = BusyWorkers.Block(server.Server, gate);
        var attacker = server.Connect();
        attacker.Send(_longWrite);

        await ExchangeAsync(
            server.Connect(),
            Request("CONFIG", "SET", "timeout", "100") + Request("ACL", "SETUSER", "u", "on")
            + Request("CONFIG", "SET", "maxmemory", "64mb") + Request("CLIENT", "KILL", "ID", "1")
            + Request("ACL", "USERS"),
            "+OK\r\n+OK\r\n+OK\r\n:1\r\n*2\r\n" + Bulk("default") + Bulk("u"));

        gate.Set();
        await blocks;
    }

    [Fact]
    public async Task Send_FlushWhileAllWorkersAreBusy_IsAnsweredAtOnce()
    {
        Store.Set("a"u8, "1"u8);
        await using var server = await StartAsync(bounds: _shared);
        using var gate = new ManualResetEventSlim();
        var blocks = BusyWorkers.Block(server.Server, gate);

        Assert.Equal("+OK\r\n", server.Connect().Exchange(Request("FLUSHALL")));
        Assert.Equal("+OK\r\n", server.Connect().Exchange(Request("FLUSHDB", "ASYNC")));

        Assert.Equal(0, Store.Count);
        gate.Set();
        await blocks;
    }

    [Fact]
    public async Task Send_ManyFlushesInARow_AreAllAnswered()
    {
        await using var server = await StartAsync(bounds: _shared);

        await ExchangeAsync(
            server.Connect(),
            Repeat(Request("SET", "a", "1") + Request("FLUSHALL"), 100) + Request("GET", "a"),
            Repeat("+OK\r\n+OK\r\n", 100) + "$-1\r\n");
    }

    [Fact]
    public async Task Send_KeysThatGiveWay_CountWhatTheyGatheredAsTheClients()
    {
        const int Keys = 40_000;
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 32 << 20 }, new PassingTime());
        for (int i = 0; i < Keys; i++)
            store.Set(Encoding.ASCII.GetBytes($"key:{i:D40}"), "v"u8);
        var options = new RespServerOptions { ClientMemoryLimit = RespServerOptions.BufferLimitMin };
        await using var server = await InMemoryServer.StartAsync(store, options, _shared);

        server.Connect().Send(Request("KEYS", "*"));
        await EndedAsync(server, clients: 0);

        Assert.Equal(1, server.Server.State.Limits[ConnectionLimit.ClientMemory]);
        Assert.Equal(0, server.Server.State.ClientMemory.Bytes);
    }

    // Source and result have room; the result once more, as the client's memory, has not.
    [Fact]
    public async Task Send_BitOpThatGivesWayWithItsResult_CountsItOnce()
    {
        const int Bytes = 12_000_000;
        var options = new CacheOptions { MemoryLimitBytes = 32 << 20, Eviction = EvictionPolicy.None };
        using var store = new CacheStore(options, new PassingTime());
        await using var server = await InMemoryServer.StartAsync(
            store, new RespServerOptions { ClientMemoryLimit = 20 << 20 }, _shared);
        var client = server.Connect();

        await ExchangeAsync(
            client,
            Request("SETBIT", "a", $"{(Bytes * 8) - 1}", "1") + Request("BITOP", "NOT", "b", "a"),
            $":0\r\n:{Bytes}\r\n");

        Assert.InRange(server.Server.Workers.Count, 3, int.MaxValue);
        while (server.Server.State.ClientMemory.Bytes != ClientMemory.IdleClientBytes)
            await Task.Delay(1, Token); // The reply is seen before its flush is over.
    }

    // The last bytes of a client and its end may be seen at once.
    [Fact]
    public async Task Close_TogetherWithALongCommand_LeavesItToBeAnswered()
    {
        Store.Set("value"u8, new byte[60_000]);
        await using var server = await StartAsync(bounds: _shared);
        var client = server.Connect();
        client.Send(Request("GET", "value") + Request("GET", "value"));
        client.Send(_longWrite);
        client.Close();

        string value = Bulk(new string('\0', 60_000));
        string expected = value + value + LongWritten;
        Assert.Equal(expected, Encoding.Latin1.GetString(await client.ReadAsync(expected.Length, Token)));
        await EndedAsync(server, clients: 0);
    }

    [Fact]
    public async Task Kill_WhileSuspended_LeavesTheRequestUndone()
    {
        await using var server = await StartAsync(bounds: _shared);
        using var gate = new ManualResetEventSlim();
        var blocks = BusyWorkers.Block(server.Server, gate);
        server.Connect().Send(_longWrite);
        var other = server.Connect();

        string reply = other.Exchange(Request("CLIENT", "KILL", "ID", "1"));
        gate.Set();
        await blocks;
        await EndedAsync(server, clients: 1);

        Assert.Equal(":1\r\n", reply);
        Assert.Equal(0, Store.Count);
    }

    [Fact]
    public async Task Vanish_WhileSuspended_EndsTheConnectionAfterTheRequest()
    {
        await using var server = await StartAsync(bounds: _shared);
        using var gate = new ManualResetEventSlim();
        var blocks = BusyWorkers.Block(server.Server, gate);
        var client = server.Connect();
        client.Send(_longWrite);
        client.Vanish();

        gate.Set();
        await blocks;
        await EndedAsync(server, clients: 0);

        Assert.Equal(1, Store.Count);
    }

    [Fact]
    public async Task Sweep_OfASuspendedClient_DoesNotTakeItForSilent()
    {
        var options = new RespServerOptions
        {
            Timeout = TimeSpan.FromSeconds(60),
            PartialRequestTimeout = TimeSpan.FromSeconds(10),
        };
        await using var server = await StartAsync(options, _shared);
        using var gate = new ManualResetEventSlim();
        var blocks = BusyWorkers.Block(server.Server, gate);
        var client = server.Connect();
        client.Send(_longWrite);

        for (int i = 0; i < 120; i++)
            Clock.Advance(TimeSpan.FromSeconds(1));
        gate.Set();

        Assert.Equal(LongWritten, Encoding.Latin1.GetString(await client.ReadAsync(9, Token)));
        await blocks;
        await SettledAsync(server);
        for (int i = 0; i < 120; i++)
            Clock.Advance(TimeSpan.FromSeconds(1));
        await EndedAsync(server, clients: 0);
    }

    [Fact]
    public async Task Stop_WhileSuspended_AnswersWhatWasReceived()
    {
        var server = await StartAsync(bounds: _shared);
        using var gate = new ManualResetEventSlim();
        var blocks = BusyWorkers.Block(server.Server, gate);
        var client = server.Connect();
        client.Send(_longWrite + Request("PING"));

        var stopping = server.DisposeAsync();
        gate.Set();

        Assert.Equal(LongWritten + "+PONG\r\n", Encoding.Latin1.GetString(await client.ReadAsync(16, Token)));
        await stopping;
        await blocks;
    }

    private static async Task ExchangeAsync(InMemoryClient client, string requests, string replies)
    {
        client.Send(requests);
        Assert.Equal(replies, Encoding.Latin1.GetString(await client.ReadAsync(replies.Length, Token)));
        Assert.Empty(client.ReadAll());
    }

    // A client is gone before what its connection held is given back.
    private static async Task EndedAsync(InMemoryServer server, int clients)
    {
        await Polling.WhileAsync(
            () => server.Server.State.Clients.Count > clients || server.Server.Connections.Count() > clients);
    }

    private static async Task SettledAsync(InMemoryServer server)
    {
        await Polling.WhileAsync(() => server.Server.State.Clients.Find(1)!.IsServed);
    }

    // Each look at it is longer than a step of KEYS.
    private sealed class PassingTime : TimeProvider
    {
        private long _ticks;

        public override long TimestampFrequency => TimeSpan.TicksPerSecond;

        public override long GetTimestamp() => Interlocked.Add(ref _ticks, 11 * TimeSpan.TicksPerMillisecond);
    }
}
