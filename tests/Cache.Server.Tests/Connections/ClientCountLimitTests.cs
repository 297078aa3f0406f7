using System.Net;
using System.Text;
using Cache.Testing;

namespace Cache.Server.Tests.Connections;

/// <summary>How many clients there may be, and from where.</summary>
public sealed class ClientCountLimitTests : ConnectionTestBase
{
    private const string TooMany = "-ERR max number of clients reached\r\n";

    private static readonly IPAddress _elsewhere = IPAddress.Parse("192.0.2.7");

    [Fact]
    public async Task Connect_BeyondTheLimitFromThisMachine_MayAdminister()
    {
        await using var server = await StartAsync(new RespServerOptions { MaxClients = 1 });
        server.Connect();
        var administrator = server.Connect();
        var third = server.Connect();

        Assert.Equal("+PONG\r\n", administrator.Exchange(Request("PING")));
        Assert.Contains("rejected_connections:1\r\n", administrator.Exchange(Request("INFO", "stats")));
        Assert.Equal("+OK\r\n", administrator.Exchange(Request("CONFIG", "SET", "maxclients", "2")));
        Assert.Equal(TooMany, Encoding.Latin1.GetString(third.ReadAll()));
        Assert.True(third.IsClosed);
    }

    [Theory]
    [InlineData("GET", "k")]
    [InlineData("SET", "k", "v")]
    [InlineData("MGET", "k")]
    public async Task Use_OfTheReservedPlaceByAnApplication_IsRefused(params string[] request)
    {
        await using var server = await StartAsync(new RespServerOptions { MaxClients = 1 });
        server.Connect();
        var application = server.Connect();

        Assert.Equal(TooMany, application.Exchange(Request(request)));
        Assert.True(application.IsClosed);
        Assert.Equal(1, server.Server.State.Clients.Count);
    }

    [Fact]
    public async Task Use_OfTheReservedPlaceOnceThereIsRoom_IsThatOfAnyClient()
    {
        await using var server = await StartAsync(new RespServerOptions { MaxClients = 1 });
        var first = server.Connect();
        var second = server.Connect();
        first.Close();

        Assert.Equal("$-1\r\n", second.Exchange(Request("GET", "k")));
    }

    [Fact]
    public async Task Connect_BeyondTheLimitFromElsewhere_IsRefused()
    {
        await using var server = await StartAsync(new RespServerOptions { MaxClients = 1, ProtectedMode = false });
        server.Connect(_elsewhere);
        var second = server.Connect(_elsewhere);

        Assert.Equal(TooMany, Encoding.Latin1.GetString(second.ReadAll()));
        Assert.True(second.IsClosed);
    }

    [Fact]
    public async Task Connect_FromElsewhereInProtectedMode_IsDeniedUntilThereIsAPassword()
    {
        await using var server = await StartAsync();
        var local = server.Connect();
        var stranger = server.Connect(_elsewhere);
        string denied = Encoding.Latin1.GetString(stranger.ReadAll());

        Assert.StartsWith("-DENIED Redis is running in protected mode because protected mode is enabled and", denied);
        Assert.EndsWith("for the server to start accepting connections from the outside.\r\n", denied);
        Assert.True(stranger.IsClosed);
        Assert.Contains("protected_mode_rejections:1\r\n", local.Exchange(Request("INFO", "stats")));

        local.Exchange(Request("CONFIG", "SET", "requirepass", "secret"));
        Assert.StartsWith("-NOAUTH ", server.Connect(_elsewhere).Exchange(Request("PING")));
    }

    [Fact]
    public async Task Connect_FromElsewhereWithProtectedModeOff_IsServed()
    {
        await using var server = await StartAsync();
        server.Connect().Exchange(Request("CONFIG", "SET", "protected-mode", "no"));

        Assert.Equal("+PONG\r\n", server.Connect(_elsewhere).Exchange(Request("PING")));
    }

    [Fact]
    public async Task Connect_FasterThanTheRate_WaitsItsTurn()
    {
        await using var server = await StartAsync(new RespServerOptions { AcceptsPerSecond = 2 });
        var one = server.Connect();
        server.Connect();
        var three = server.Connect();
        var four = server.Connect();

        Assert.Equal("", four.Exchange(Request("PING")));
        Clock.Advance(TimeSpan.FromSeconds(0.5));
        Assert.Equal("+PONG\r\n", three.Exchange(Request("PING")));
        Clock.Advance(TimeSpan.FromSeconds(0.5));
        Assert.Equal("+PONG\r\n"u8.ToArray(), four.ReadAll());
        Assert.DoesNotContain("delayed_accepts:0\r\n", one.Exchange(Request("INFO", "stats")));
    }

    [Fact]
    public async Task Stop_WhileConnectionsWaitTheirTurn_DoesNotWaitForThem()
    {
        var server = await StartAsync(new RespServerOptions { AcceptsPerSecond = 1 });
        for (int i = 0; i < 5; i++)
            server.Connect();

        await server.Server.StopAsync(TestContext.Current.CancellationToken);

        Assert.Equal(0, server.Server.State.Clients.Count);
    }
}
