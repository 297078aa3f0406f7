using Cache.Testing;

namespace Cache.Server.Tests.Connections;

/// <summary>How connections end: by the client, by a command, by a fault, by a limit.</summary>
public sealed class ConnectionEndTests : ConnectionTestBase
{
    [Fact]
    public async Task Send_ProtocolError_SendsRepliesBeforeItThenTheErrorThenCloses()
    {
        await using var server = await StartAsync();
        var client = server.Connect();

        string replies = client.Exchange(Request("PING") + "*1\r\n!4\r\nPING\r\n" + Request("PING"));

        Assert.Equal("+PONG\r\n-ERR Protocol error: expected '$', got '!'\r\n", replies);
        Assert.True(client.IsClosed);
        Assert.True(client.Connection.IsDisposed);
        Assert.False(client.Connection.IsAborted);
    }

    [Fact]
    public async Task Send_ProtocolErrorInAStraddlingRequest_RepliesTheErrorOnce()
    {
        await using var server = await StartAsync();
        var client = server.Connect();

        client.Send("*1\r\n$");
        string replies = client.Exchange("x\r\nPING\r\n" + Request("PING"));

        Assert.Equal("-ERR Protocol error: invalid bulk length\r\n", replies);
        Assert.True(client.IsClosed);
    }

    [Fact]
    public async Task Send_Quit_RepliesAndIgnoresTheRest()
    {
        await using var server = await StartAsync();
        var client = server.Connect();

        Assert.Equal("+PONG\r\n+OK\r\n", client.Exchange(Request("PING") + Request("QUIT") + Request("PING")));
        Assert.True(client.IsClosed);
        Assert.Equal(0, server.Server.State.Clients.Count);
    }

    [Fact]
    public async Task Close_WithHalfARequest_AnswersWhatWasWholeAndFrees()
    {
        await using var server = await StartAsync();
        var client = server.Connect();

        client.Send(Request("PING") + "*1\r\n$4\r\nPI");
        client.Close();

        Assert.Equal("+PONG\r\n"u8.ToArray(), client.ReadAll());
        Assert.True(client.IsClosed);
        Assert.Equal(0, server.Server.State.Clients.Count);
    }

    [Fact]
    public async Task Vanish_BeforeTheReplies_EndsThatClientOnly()
    {
        await using var server = await StartAsync();
        var client = server.Connect();
        var other = server.Connect();

        client.Vanish();

        Assert.True(client.Connection.IsDisposed);
        Assert.Equal("+PONG\r\n", other.Exchange(Request("PING")));
        Assert.Equal(1, server.Server.State.Clients.Count);
    }

    [Fact]
    public async Task Kill_ByAnotherClient_EndsTheConnectionAtOnce()
    {
        await using var server = await StartAsync();
        var victim = server.Connect();
        var other = server.Connect();
        victim.Send("*1\r\n$4\r\nPI");

        server.Server.State.Clients.Find(1)!.Kill();

        Assert.Empty(victim.ReadAll());
        Assert.True(victim.IsClosed);
        Assert.True(victim.Connection.IsDisposed);
        Assert.Equal("+PONG\r\n", other.Exchange(Request("PING")));
        Assert.Null(server.Server.State.Clients.Find(1));
    }

    [Fact]
    public async Task Send_MoreThanTheInputLimit_Disconnects()
    {
        var options = new RespServerOptions { InputBufferLimit = RespServerOptions.BufferLimitMin };
        await using var server = await StartAsync(options);
        var client = server.Connect();
        byte[] piece = new byte[256 * 1024];

        client.Send("*2\r\n$4\r\nECHO\r\n$10000000\r\n");
        for (int i = 0; i < 3; i++)
            client.Send(piece);
        client.ReadAll();
        Assert.False(client.IsClosed);
        client.Send(piece);

        Assert.Empty(client.ReadAll());
        Assert.True(client.IsClosed);
    }

    [Fact]
    public async Task Send_RequestsForMoreThanTheOutputLimit_Disconnects()
    {
        var options = new RespServerOptions { OutputBufferLimit = RespServerOptions.BufferLimitMin };
        await using var server = await StartAsync(options);
        var client = server.Connect();

        client.Send(Request(["COMMAND", "INFO", .. Enumerable.Repeat("get", 8000)]) + Request("PING"));
        client.ReadAll();

        Assert.True(client.IsClosed);
        Assert.True(client.Connection.IsAborted);
    }

    [Fact]
    public async Task Send_RequestForOneValueBeyondTheOutputLimit_IsAnswered()
    {
        var options = new RespServerOptions { OutputBufferLimit = RespServerOptions.BufferLimitMin };
        await using var server = await StartAsync(options, new InMemoryBounds { OutputPauseBytes = 4 << 20 });
        var client = server.Connect();
        string value = new('v', 2 << 20);

        Assert.Equal(Bulk(value) + "+PONG\r\n", client.Exchange(Request("ECHO", value) + Request("PING")));
    }

    [Fact]
    public async Task Send_BeforeAuthentication_IsHeldToNarrowBounds()
    {
        await using var server = await StartAsync(new RespServerOptions { RequirePass = "secret" });
        var stranger = server.Connect();
        var friend = server.Connect();

        Assert.Equal(
            "-ERR Protocol error: unauthenticated multibulk length\r\n", stranger.Exchange("*11\r\n$4\r\nPING\r\n"));
        server.Server.State.Clients.Find(2)!.IsAuthenticated = true;
        string value = new('v', 100_000);
        Assert.Equal("+PONG\r\n" + Bulk(value), friend.Exchange(Request("PING") + Request("ECHO", value)));
    }

    [Fact]
    public async Task Silence_LongerThanTheTimeout_Disconnects()
    {
        await using var server = await StartAsync(new RespServerOptions { Timeout = TimeSpan.FromSeconds(60) });
        var silent = server.Connect();
        var busy = server.Connect();

        Clock.Advance(TimeSpan.FromSeconds(50));
        busy.Send(Request("PING"));
        Clock.Advance(TimeSpan.FromSeconds(12));

        silent.ReadAll();
        Assert.True(silent.IsClosed);
        Assert.Equal("+PONG\r\n+PONG\r\n", busy.Exchange(Request("PING")));
    }
}
