using System.Text;
using Cache.Server.Clients;
using Cache.Testing;

namespace Cache.Server.Tests.Connections;

/// <summary>A command that waits for something: WAIT, for replicas that are not there.</summary>
public sealed class ParkedClientTests : ConnectionTestBase
{
    private static readonly InMemoryBounds _shared = new() { SharesThread = true };

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Wait_WithATimeout_IsAnsweredThen()
    {
        await using var server = await StartAsync(bounds: _shared);
        var client = server.Connect();
        client.Send(Request("PING") + Request("WAIT", "1", "1000") + Request("PING"));
        Assert.Equal("+PONG\r\n", Text(client.ReadAll()));
        Assert.Equal("+PONG\r\n", server.Connect().Exchange(Request("PING")));

        Clock.Advance(TimeSpan.FromMilliseconds(999));
        Assert.Empty(client.ReadAll());
        Clock.Advance(TimeSpan.FromMilliseconds(1));

        Assert.Equal(":0\r\n+PONG\r\n", Text(await client.ReadAsync(11, Token)));
        Assert.Equal(0, server.Server.Workers.Count);
        Assert.Equal(3, server.Server.State.Statistics.SumTraffic().Commands - 1);
    }

    [Theory]
    [InlineData(new[] { "UNBLOCK", "1" }, ":0\r\n")]
    [InlineData(new[] { "UNBLOCK", "1", "timeout" }, ":0\r\n")]
    [InlineData(new[] { "UNBLOCK", "1", "ERROR" }, "-UNBLOCKED client unblocked via CLIENT UNBLOCK\r\n")]
    public async Task Unblock_OfAParkedClient_Ends(string[] words, string reply)
    {
        await using var server = await StartAsync(bounds: _shared);
        var client = server.Connect();
        client.Send(Request("WAIT", "1", "0") + Request("PING"));
        var other = server.Connect();
        Assert.Contains("flags=b ", other.Exchange(Request("CLIENT", "LIST", "ID", "1")));
        Assert.Contains("blocked_clients:1\r\n", other.Exchange(Request("INFO", "clients")));

        Assert.Equal(":1\r\n", other.Exchange(Request(["CLIENT", .. words])));

        string expected = reply + "+PONG\r\n";
        Assert.Equal(expected, Text(await client.ReadAsync(expected.Length, Token)));
        Assert.Equal(":0\r\n", other.Exchange(Request(["CLIENT", .. words])));
        Assert.Contains("blocked_clients:0\r\n", other.Exchange(Request("INFO", "clients")));
    }

    [Fact]
    public async Task Kill_OfAParkedClient_EndsIt()
    {
        await using var server = await StartAsync(bounds: _shared);
        var client = server.Connect();
        client.Send(Request("WAIT", "1", "0") + Request("SET", "a", "1"));

        Assert.Equal(":1\r\n", server.Connect().Exchange(Request("CLIENT", "KILL", "ID", "1")));
        await EndedAsync(server, clients: 1);

        Assert.Empty(client.ReadAll());
        Assert.Equal(0, Store.Count);
        Assert.Equal(ClientMemory.IdleClientBytes, server.Server.State.ClientMemory.Bytes);
    }

    [Fact]
    public async Task Stop_WhileAClientIsParked_AnswersWhatItSent()
    {
        var server = await StartAsync(bounds: _shared);
        var client = server.Connect();
        client.Send(Request("WAIT", "1", "0") + Request("WAIT", "1", "0") + Request("PING"));

        await server.DisposeAsync();

        Assert.Equal(":0\r\n:0\r\n+PONG\r\n", Text(client.ReadAll()));
    }

    [Fact]
    public async Task Leave_WhileParked_IsSeenByTheSweep()
    {
        await using var server = await StartAsync(bounds: _shared);
        var client = server.Connect();
        client.Send(Request("WAIT", "1", "0"));
        client.Vanish();

        Clock.Advance(TimeSpan.FromSeconds(1));

        await EndedAsync(server, clients: 0);
    }

    [Fact]
    public async Task Sweep_OfAParkedClient_DoesNotTakeItForSilent()
    {
        var options = new RespServerOptions { Timeout = TimeSpan.FromSeconds(10) };
        await using var server = await StartAsync(options, _shared);
        var client = server.Connect();
        client.Send(Request("WAIT", "1", "60000"));

        for (int i = 0; i < 60; i++)
            Clock.Advance(TimeSpan.FromSeconds(1));

        Assert.Equal(":0\r\n", Text(await client.ReadAsync(4, Token)));
    }

    [Fact]
    public async Task Sweep_AfterTheStoresDisposal_EndsParkedClients()
    {
        await using var server = await StartAsync(bounds: _shared);
        server.Connect().Send(Request("WAIT", "1", "0"));
        Store.Dispose();

        Clock.Advance(TimeSpan.FromSeconds(1));

        await EndedAsync(server, clients: 0);
    }

    private static string Text(byte[] bytes) => Encoding.Latin1.GetString(bytes);

    private static async Task EndedAsync(InMemoryServer server, int clients)
    {
        await Polling.WhileAsync(
            () => server.Server.State.Clients.Count > clients || server.Server.Connections.Count() > clients);
    }
}
