using Cache.Testing;

namespace Cache.Server.Tests.Connections;

/// <summary>How long a client may take.</summary>
public sealed class ClientTimeLimitTests : ConnectionTestBase
{
    [Fact]
    public async Task PartialRequest_WithoutAByte_Disconnects()
    {
        await using var server = await StartAsync();
        var client = server.Connect();
        var other = server.Connect();

        client.Send("*2\r\n$3\r\nGE");
        Advance(30);
        Assert.Equal(2, server.Server.State.Clients.Count);
        Advance(2);

        client.ReadAll();
        Assert.True(client.IsClosed);
        Assert.Contains("client_partial_request_disconnections:1\r\n", other.Exchange(Request("INFO", "stats")));
    }

    [Fact]
    public async Task PartialRequest_WithAByteNowAndThen_GoesOn()
    {
        await using var server = await StartAsync();
        var client = server.Connect();

        foreach (char letter in "*1\r\n$4\r\nPIN")
        {
            client.Send(letter.ToString());
            Advance(29);
        }

        Assert.Equal("+PONG\r\n", client.Exchange("G\r\n"));
    }

    [Fact]
    public async Task Silence_BetweenRequests_IsNoPartialRequest()
    {
        await using var server = await StartAsync();
        var client = server.Connect();

        client.Exchange(Request("PING"));
        Advance(1000);

        Assert.Equal("+PONG\r\n", client.Exchange(Request("PING")));
    }

    [Fact]
    public async Task Authentication_NotInTime_Disconnects()
    {
        await using var server = await StartAsync(new RespServerOptions { RequirePass = "secret" });
        var client = server.Connect();
        var other = server.Connect();
        other.Exchange(Request("AUTH", "secret"));

        for (int i = 0; i < 10; i++)
        {
            Assert.StartsWith("-NOAUTH ", client.Exchange(Request("PING")));
            Advance(1);
        }

        Advance(2);

        client.ReadAll();
        Assert.True(client.IsClosed);
        Assert.Contains("client_authentication_timeout_disconnections:1\r\n", other.Exchange(Request("INFO", "stats")));
    }

    [Fact]
    public async Task Authentication_AfterReset_HasItsTimeAnew()
    {
        await using var server = await StartAsync(new RespServerOptions { RequirePass = "secret" });
        var client = server.Connect();
        client.Exchange(Request("AUTH", "secret"));
        Advance(100);

        Assert.Equal("+RESET\r\n", client.Exchange(Request("RESET")));
        Advance(9);
        Assert.Equal("+OK\r\n", client.Exchange(Request("AUTH", "secret")));
        Advance(100);
        Assert.Equal("+PONG\r\n", client.Exchange(Request("PING")));
    }

    // In steps of the sweep, as time goes.
    private void Advance(int seconds)
    {
        for (int i = 0; i < seconds; i++)
            Clock.Advance(TimeSpan.FromSeconds(1));
    }
}
