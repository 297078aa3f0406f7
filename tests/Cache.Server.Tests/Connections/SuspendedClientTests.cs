using System.Text;
using Cache.Core;
using Cache.Server.Clients;
using Cache.Testing;

namespace Cache.Server.Tests.Connections;

/// <summary>What becomes of a client, and of what it has sent, while one of its requests waits for a worker.</summary>
public sealed class SuspendedClientTests : ConnectionTestBase
{
    private const string LongWritten = ":600001\r\n";
    private static readonly string _longWrite = Request("SETRANGE", "long", "600000", "x");
    private static readonly InMemoryBounds _shared = new() { SharesThread = true };

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public static TheoryData<string, string, bool> Followers()
    {
        string set = Request("SET", "after", "1");
        return new TheoryData<string, string, bool>
        {
            { Request("QUIT") + set, "+OK\r\n", true },
            { Request("CLIENT", "KILL", "ID", "1", "SKIPME", "no") + set, ":1\r\n", true },
            { Request("SELECT", "1") + Request("GET", "long"), "+OK\r\n$-1\r\n", false },
            { Request("RESET") + Request("GET", "after"), "+RESET\r\n$-1\r\n", false },
            { Request("CLIENT", "REPLY", "OFF") + set, "", false },
            { Request("HELLO", "9"), "-NOPROTO unsupported protocol version\r\n", false },
            { "*1\r\nwrong\r\n" + set, "-ERR Protocol error: expected '$', got 'w'\r\n", true },
            { "", "", false },
        };
    }

    [Theory]
    [MemberData(nameof(Followers))]
    public async Task Send_BehindALongCommand_IsExecutedAfterIt(string requests, string replies, bool closes)
    {
        await using var server = await StartAsync(bounds: _shared);
        using var gate = new ManualResetEventSlim();
        var blocks = BusyWorkers.Block(server.Server, gate);
        var client = server.Connect();

        client.Send(_longWrite + requests);
        Assert.Equal((0, false), (client.ReadAll().Length, client.IsClosed));
        gate.Set();

        string expected = LongWritten + replies;
        Assert.Equal(expected, Encoding.Latin1.GetString(await client.ReadAsync(expected.Length, Token)));
        await blocks;
        if (closes)
            await EndedAsync(server);
        else
            await SettledAsync(server);
        Assert.Empty(client.ReadAll());
        Assert.Equal(closes, client.IsClosed);
        int entries = requests.Contains("OFF", StringComparison.Ordinal) ? 2 : 1;
        while (Store.Count < entries)
            await Task.Delay(1, Token); // It is told of none.
        Assert.Equal(entries, Store.Count);
        Assert.Equal(600_001, Length("long"));
    }

    [Fact]
    public async Task Send_LongCommandBehindSelect_IsExecutedInItsDatabase()
    {
        await using var server = await StartAsync(bounds: _shared);
        var client = server.Connect();

        client.Send(Request("SELECT", "3") + _longWrite + Request("SELECT", "0") + Request("EXISTS", "long"));

        string expected = "+OK\r\n" + LongWritten + "+OK\r\n:0\r\n";
        Assert.Equal(expected, Encoding.Latin1.GetString(await client.ReadAsync(expected.Length, Token)));
        Assert.Equal(1, Store.SelectKeyspace(3).Count);
    }

    [Fact]
    public async Task Send_AuthBehindALongCommand_ComesAfterIt()
    {
        await using var server = await StartAsync(new RespServerOptions { RequirePass = "secret" }, _shared);
        var client = server.Connect();

        client.Send(
            _longWrite + Request("AUTH", "secret") + _longWrite + Request("RESET") + _longWrite
            + Request("AUTH", "secret") + Request("STRLEN", "long"));

        const string Denied = "-NOAUTH Authentication required.\r\n";
        const string Expected = Denied + "+OK\r\n" + LongWritten + "+RESET\r\n" + Denied + "+OK\r\n" + LongWritten;
        Assert.Equal(Expected, Encoding.Latin1.GetString(await client.ReadAsync(Expected.Length, Token)));
    }

    [Fact]
    public async Task Rights_LostWhileSuspended_AreNoMore()
    {
        await using var server = await StartAsync(bounds: _shared);
        using var gate = new ManualResetEventSlim();
        var blocks = BusyWorkers.Block(server.Server, gate);
        var client = server.Connect();
        client.Send(_longWrite);
        const string Done = "+OK\r\n";

        var administrator = server.Connect();
        administrator.Send(Request("ACL", "SETUSER", "default", "-setrange"));
        Assert.Equal(Done, Encoding.Latin1.GetString(await administrator.ReadAsync(Done.Length, Token)));
        gate.Set();

        const string Expected = "-NOPERM this user has no permissions to run the 'setrange' command\r\n";
        Assert.Equal(Expected, Encoding.Latin1.GetString(await client.ReadAsync(Expected.Length, Token)));
        Assert.Equal(0, Store.Count);
        await blocks;
    }

    [Fact]
    public async Task Reply_OfASuspendedCommandBeyondTheLimit_IsAnErrorAndTheConnectionGoesOn()
    {
        for (int i = 0; i < 30_000; i++)
            Store.Set(Encoding.ASCII.GetBytes($"key:{i:D40}"), "v"u8);
        var options = new RespServerOptions { OutputBufferLimit = RespServerOptions.BufferLimitMin };
        await using var server = await StartAsync(options, _shared);
        var client = server.Connect();

        client.Send(Request("KEYS", "*") + Request("PING"));

        const string Expected = "-ERR the reply is longer than client-output-buffer-limit\r\n+PONG\r\n";
        Assert.Equal(Expected, Encoding.Latin1.GetString(await client.ReadAsync(Expected.Length, Token)));
        Assert.Equal(0, server.Server.State.Limits[ConnectionLimit.OutputBuffer]);
    }

    [Fact]
    public async Task Replies_BeforeASuspendedCommandThatNobodyTakes_EndTheClientInTime()
    {
        Store.Set("value"u8, new byte[60_000]);
        await using var server = await StartAsync(bounds: _shared);
        var client = server.Connect();
        client.Send(Request("GET", "value") + Request("GET", "value") + _longWrite);

        for (int i = 0; i < 60; i++)
            Clock.Advance(TimeSpan.FromSeconds(1));
        await EndedAsync(server);

        Assert.Equal(1, server.Server.State.Limits[ConnectionLimit.OutputTimeout]);
        Assert.Equal(0, server.Server.Workers.Count);
        Assert.Equal(WriteStatus.NotFound, Store.Persist("long"u8));
    }

    [Fact]
    public async Task Replies_OfSuspendedCommandsThatNobodyTakes_EndTheClientInTime()
    {
        Store.Set("value"u8, new byte[700_000]);
        await using var server = await StartAsync(bounds: _shared);
        var client = server.Connect();
        client.Send(Repeat(Request("GETRANGE", "value", "0", "-1"), 10));
        await Polling.WhileAsync(
            () => server.Server.Workers.Count == 0 || server.Server.State.Clients.Find(1)!.PendingOutputBytes == 0);

        for (int i = 0; i < 60; i++)
            Clock.Advance(TimeSpan.FromSeconds(1));
        await EndedAsync(server);

        Assert.Equal(1, server.Server.State.Limits[ConnectionLimit.OutputTimeout]);
        Assert.Equal(1, server.Server.Workers.Count);
        Assert.Equal(0, server.Server.State.ClientMemory.Bytes);
    }

    [Fact]
    public async Task Vanish_WithALongArgumentWhileSuspended_GivesAllBack()
    {
        await using var server = await StartAsync(bounds: _shared);
        using var gate = new ManualResetEventSlim();
        var blocks = BusyWorkers.Block(server.Server, gate);
        long before = Store.GetStatistics().MemoryBytes;
        var client = server.Connect();
        string request = Request("APPEND", "key", new string('x', 2_000_000));
        client.Send(request[..1_000_000]);
        client.Send(request[1_000_000..] + _longWrite);
        Assert.InRange(Store.GetStatistics().MemoryBytes - before, 2_000_000, long.MaxValue);

        Assert.Equal(":1\r\n", server.Connect().Exchange(Request("CLIENT", "KILL", "ID", "1", "TYPE", "normal")));
        client.Vanish();
        gate.Set();
        await blocks;
        await Polling.WhileAsync(() => server.Server.State.ClientMemory.Bytes != ClientMemory.IdleClientBytes);

        Assert.Equal(0, Store.Count);
        Assert.Equal(1, server.Server.State.Clients.Count);
    }

    private int Length(string key) =>
        Store.TryPeekInfo(Encoding.ASCII.GetBytes(key), out var info) ? info.Length : -1;

    private static async Task EndedAsync(InMemoryServer server)
    {
        await Polling.WhileAsync(() => server.Server.State.Clients.Count > 0);
    }

    private static async Task SettledAsync(InMemoryServer server)
    {
        await Polling.WhileAsync(() => server.Server.State.Clients.Find(1) is { IsServed: true });
    }
}
