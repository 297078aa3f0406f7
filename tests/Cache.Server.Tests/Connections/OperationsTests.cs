using System.Globalization;
using Cache.Server.Statistics;
using Cache.Testing;

namespace Cache.Server.Tests.Connections;

/// <summary>What a running server tells of itself: history, events, clients' traffic.</summary>
public sealed class OperationsTests : ConnectionTestBase
{
    private static readonly TimeSpan _second = TimeSpan.FromSeconds(1);

    [Fact]
    public async Task History_EachSecond_HasTheChangeOfCounters()
    {
        await using var server = await StartAsync();
        var client = server.Connect();
        Clock.Advance(_second);
        client.Exchange(Request("SET", "k", "v") + Request("GET", "k") + Request("GET", "absent") + Request("PING"));

        Clock.Advance(_second);
        Clock.Advance(_second);

        Assert.Equal([4.0, 0], Read(server, "commands_per_second"));
        Assert.Equal([1.0, 0], Read(server, "hits_per_second"));
        Assert.Equal([50.0, 0], Read(server, "hit_percent"));
        Assert.Equal([1.0, 1], Read(server, "clients"));
        Assert.Equal([1.0, 1], Read(server, "keys"));
        Assert.True(Read(server, "used_bytes")[0] > 0);
    }

    [Fact]
    public async Task Events_EvictionsBeginAndEnd_AreTwo()
    {
        await using var server = await StartAsync();
        var client = server.Connect();
        Clock.Advance(_second);
        for (int i = 0; i < 40; i++)
            client.Exchange(Request("SET", "k" + i.ToString(CultureInfo.InvariantCulture), new string('x', 1 << 20)));
        for (int i = 0; i < 70; i++)
            Clock.Advance(_second);

        var events = server.Server.State.Events.GetLast(100);
        string[] texts =
            [.. events.Where(static one => one.Kind == EventKinds.Eviction).Select(static one => one.Text)];

        Assert.Equal(
            ["evictions ended: none for a minute", "evictions began: the store has reached maxmemory"], texts);
    }

    [Fact]
    public async Task CacheEvents_ChangesAndWrongPasswords_AreShownWithoutSecrets()
    {
        await using var server = await StartAsync();
        var client = server.Connect();
        client.Exchange(Request("CONFIG", "SET", "timeout", "77", "requirepass", "secret"));
        client.Exchange(Request("AUTH", "default", "guessed"));
        Clock.Advance(TimeSpan.FromSeconds(5));

        string reply = client.Exchange(Request("CACHE", "EVENTS"));

        Assert.Contains(" CONFIG SET timeout 77\r\n", reply, StringComparison.Ordinal);
        Assert.Contains(" CONFIG SET requirepass (redacted)\r\n", reply, StringComparison.Ordinal);
        Assert.Contains("$5\r\nlogin\r\n", reply, StringComparison.Ordinal);
        Assert.DoesNotContain("secret", reply, StringComparison.Ordinal);
        Assert.DoesNotContain("guessed", reply, StringComparison.Ordinal);
        Assert.StartsWith(
            "*1\r\n*4\r\n:2\r\n", client.Exchange(Request("CACHE", "EVENTS", "COUNT", "1")),
            StringComparison.Ordinal);
        Assert.StartsWith(
            "*2\r\n*4\r\n:2\r\n", client.Exchange(Request("CACHE", "EVENTS", "SINCE", "1")),
            StringComparison.Ordinal);
        Assert.Equal("-ERR syntax error\r\n", client.Exchange(Request("CACHE", "EVENTS", "COUNT")));
    }

    [Fact]
    public async Task CacheDoctor_AHealthyServer_FindsNothing()
    {
        await using var server = await StartAsync();
        var client = server.Connect();
        client.Exchange(Request("SET", "k", "v"));
        Clock.Advance(TimeSpan.FromSeconds(70));

        Assert.Equal("*0\r\n", client.Exchange(Request("CACHE", "DOCTOR")));
    }

    [Fact]
    public async Task CacheDoctor_WritesRefusedAndTheClockSetBack_SaysBothTheWorseOneFirst()
    {
        await using var server = await StartAsync();
        var client = server.Connect();
        client.Exchange(Request("CONFIG", "SET", "maxmemory-policy", "noeviction"));
        Clock.Advance(TimeSpan.FromSeconds(2));
        for (int i = 0; i < 40; i++)
            client.Exchange(Request("SET", "k" + i.ToString(CultureInfo.InvariantCulture), new string('x', 1 << 20)));
        Clock.JumpWallClock(TimeSpan.FromHours(-1));
        Clock.Advance(TimeSpan.FromSeconds(3));

        string reply = client.Exchange(Request("CACHE", "DOCTOR"));

        // Behind them may be what this process really suffers from while other tests run.
        Assert.Matches(@"^\*[23]\r\n\*4\r\n\$8\r\ncritical\r\n\$14\r\nrefused-writes\r\n", reply);
        Assert.Contains("The clock was set back by 3600 s.", reply, StringComparison.Ordinal);
        Assert.Contains("the clock was set back by 3600 s", client.Exchange(Request("CACHE", "EVENTS")),
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task CacheDoctor_ClientsThatNobodyCloses_AreCounted()
    {
        await using var server = await StartAsync();
        for (int i = 0; i < 60; i++)
            server.Connect().Exchange(Request("PING"));
        Clock.Advance(TimeSpan.FromMinutes(11));

        string reply = server.Connect().Exchange(Request("CACHE", "DOCTOR"));

        Assert.Contains("60 of 61 clients have sent nothing for ten minutes.", reply, StringComparison.Ordinal);
    }

    [Fact]
    public async Task CacheCurve_BeforeAndAfterManyReads_IsKnownThen()
    {
        await using var server = await StartAsync();
        var client = server.Connect();

        string before = client.Exchange(Request("CACHE", "CURVE"));
        client.Exchange(Request("SET", "k", "v"));
        for (int i = 0; i < 3_000; i++)
        {
            client.Exchange(Request("GET", "k"));
            if (i % 1_000 == 0)
                client.Exchange(Request("CACHE", "CURVE"));
        }

        string after = client.Exchange(Request("CACHE", "CURVE"));
        Assert.StartsWith("*10\r\n$5\r\nknown\r\n:0\r\n", before, StringComparison.Ordinal);
        Assert.EndsWith("$6\r\nadvice\r\n$0\r\n\r\n", before, StringComparison.Ordinal);
        Assert.StartsWith("*10\r\n$5\r\nknown\r\n:1\r\n", after, StringComparison.Ordinal);
        Assert.Contains("$4\r\n0.25\r\n", after, StringComparison.Ordinal);
        Assert.Contains(" MB less would answer 0.0 % of the reads fewer.\r\n", after, StringComparison.Ordinal);
        Assert.Contains("x0.25=1.0000,", client.Exchange(Request("INFO", "stats")), StringComparison.Ordinal);
    }

    [Fact]
    public async Task ClientList_AfterRequests_HasTheirTraffic()
    {
        await using var server = await StartAsync();
        var client = server.Connect();
        string first = Request("SET", "k", "value") + Request("GET", "k");
        client.Exchange(first);

        string list = client.Exchange(Request("CLIENT", "LIST"));

        Assert.Contains(
            $" tot-net-in={first.Length} tot-net-out=16 tot-cmds=2 watch=0\n", list, StringComparison.Ordinal);
    }

    [Fact]
    public async Task ClientList_Idle_HasThoseThatAreSilentForSoLong()
    {
        await using var server = await StartAsync();
        var (silent, client) = (server.Connect(), server.Connect());
        silent.Exchange(Request("CLIENT", "SETNAME", "silent"));
        Clock.Advance(TimeSpan.FromSeconds(10));
        client.Exchange(Request("CLIENT", "SETNAME", "other"));

        Assert.Contains(
            " name=silent ", client.Exchange(Request("CLIENT", "LIST", "IDLE", "10")),
            StringComparison.Ordinal);
        Assert.DoesNotContain(
            " name=other ", client.Exchange(Request("CLIENT", "LIST", "IDLE", "10")),
            StringComparison.Ordinal);
        Assert.Equal("$0\r\n\r\n", client.Exchange(Request("CLIENT", "LIST", "IDLE", "11")));
        Assert.Contains(
            " name=other ", client.Exchange(Request("CLIENT", "LIST", "USER", "default")),
            StringComparison.Ordinal);
        Assert.StartsWith(
            "-ERR IDLE must be ", client.Exchange(Request("CLIENT", "LIST", "IDLE", "x")),
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task ClientList_SkipMe_LeavesTheCallerOut()
    {
        await using var server = await StartAsync();
        var (other, client) = (server.Connect(), server.Connect());
        other.Exchange(Request("CLIENT", "SETNAME", "other"));
        client.Exchange(Request("CLIENT", "SETNAME", "caller"));

        string with = client.Exchange(Request("CLIENT", "LIST", "SKIPME", "no", "USER", "default"));
        string without = client.Exchange(Request("CLIENT", "LIST", "SKIPME", "yes"));

        Assert.Contains(" name=caller ", with, StringComparison.Ordinal);
        Assert.Contains(" name=other ", without, StringComparison.Ordinal);
        Assert.DoesNotContain(" name=caller ", without, StringComparison.Ordinal);
    }

    [Fact]
    public async Task InfoClients_AfterALargeReply_HasItForSomeSeconds()
    {
        await using var server = await StartAsync();
        var client = server.Connect();
        string request = Request("SET", "k", new string('x', 20_000));
        client.Exchange(request);
        client.Exchange(Request("GET", "k"));

        Assert.Contains(
            "client_recent_max_output_buffer:20010\r\n", client.Exchange(Request("INFO", "clients")),
            StringComparison.Ordinal);
        Assert.Contains(
            $"client_recent_max_input_buffer:{request.Length}\r\n", client.Exchange(Request("INFO", "clients")),
            StringComparison.Ordinal);
        Clock.Advance(TimeSpan.FromSeconds(20));
        string later = client.Exchange(Request("INFO", "clients"));
        Assert.Contains("client_recent_max_output_buffer:0\r\n", later, StringComparison.Ordinal);
    }

    [Fact]
    public async Task CacheMemory_Kinds_AddUpToTheResidentMemory()
    {
        await using var server = await StartAsync();

        var kinds = ReadKinds(server.Connect());

        Assert.Equal(kinds["resident"], kinds.Values.Sum() - kinds["resident"]);
        Assert.Equal(0, kinds["clients.input"] + kinds["clients.output"]);
        Assert.True(kinds["heap.gen2"] >= 0 && kinds["store.index"] > 0);
    }

    [Fact]
    public async Task CacheMemory_OfLargeCollections_HasThem()
    {
        await using var server = await StartAsync();
        var client = server.Connect();
        Assert.Equal(0, ReadKinds(client)["store.collections"]);
        for (int i = 0; i < 100; i++)
            client.Exchange(Request("HSET", "h", $"field{i}", new string('x', 1000)));

        var kinds = ReadKinds(client);

        Assert.InRange(kinds["store.collections"], 100_000, 2 << 20);
        Assert.Equal(kinds["resident"], kinds.Values.Sum() - kinds["resident"]);
    }

    [Fact]
    public async Task CacheMemory_OfTrackedKeys_TellsThemOnce()
    {
        await using var server = await StartAsync();
        var client = server.Connect();
        client.Exchange(Request("HELLO", "3") + Request("CLIENT", "TRACKING", "ON"));
        string reads = string.Concat(Enumerable.Range(0, 1_000).Select(static i => Request("GET", $"k{i}")));
        client.Exchange(reads);

        var kinds = ReadKinds(server.Connect());

        Assert.InRange(kinds["clients.tracking"], 50_000, 500_000);
        Assert.Equal(0, kinds["clients.output"]);
        Assert.Equal(kinds["resident"], kinds.Values.Sum() - kinds["resident"]);
    }

    [Theory]
    [InlineData("REQUESTS", "both")]
    [InlineData("READS", "read")]
    [InlineData("WRITES", "written")]
    [InlineData("bytes", "long")]
    public async Task CacheTopKeys_ByAnOrder_HasItsFirstKey(string order, string key)
    {
        await using var server = await StartAsync();
        var client = server.Connect();
        client.Exchange(Request("SET", "read", "v") + Request("SET", "long", new string('x', 5000)));
        client.Exchange(Repeat(Request("GET", "read"), 20) + Repeat(Request("SET", "written", "v"), 20));
        client.Exchange(Repeat(Request("SET", "both", "v"), 15) + Repeat(Request("GET", "both"), 15));

        string reply = client.Exchange(Request("CACHE", "TOPKEYS", "BY", order, "COUNT", "1"));

        Assert.StartsWith($"*1\r\n*12\r\n$3\r\nkey\r\n{Bulk(key)}$2\r\ndb\r\n:0\r\n", reply, StringComparison.Ordinal);
        Assert.Equal("-ERR syntax error\r\n", client.Exchange(Request("CACHE", "TOPKEYS", "BY", "none")));
        Assert.StartsWith(
            "-ERR COUNT must be", client.Exchange(Request("CACHE", "TOPKEYS", "BY", order, "COUNT", "0")),
            StringComparison.Ordinal);
    }

    private static double[] Read(InMemoryServer server, string name) =>
    [
        .. server.Server.State.History.Read(HistorySeries.IndexOf(name), 0, isCoarse: false)
            .Select(static point => point.Value),
    ];

    private static Dictionary<string, long> ReadKinds(InMemoryClient client)
    {
        string[] lines = client.Exchange(Request("CACHE", "MEMORY")).Split("\r\n");
        var kinds = new Dictionary<string, long>();
        for (int i = 2; i + 1 < lines.Length; i += 3)
            kinds[lines[i]] = long.Parse(lines[i + 1][1..], CultureInfo.InvariantCulture);
        return kinds;
    }
}
