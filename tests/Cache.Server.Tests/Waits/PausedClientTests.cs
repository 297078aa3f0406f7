using System.Text;
using Cache.Server.Tests.Connections;
using Cache.Testing;

namespace Cache.Server.Tests.Waits;

/// <summary>CLIENT PAUSE, as redis-server 7.0.15 does it.</summary>
public sealed class PausedClientTests : ConnectionTestBase
{
    private const string Ok = "+OK\r\n";

    private static readonly InMemoryBounds _shared = new() { SharesThread = true };

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Theory]
    [InlineData("SET k v")]
    [InlineData("PFCOUNT k")]
    [InlineData("BLPOP k 1")]
    [InlineData("SORT k")]
    [InlineData("FLUSHALL")]
    public async Task PauseOfWrites_PutsWritesOff(string line)
    {
        await using var server = await StartAsync(bounds: _shared);
        var (writer, other) = (server.Connect(), server.Connect());
        Assert.Equal(Ok, other.Exchange(Request("CLIENT", "PAUSE", "1000", "WRITE")));

        writer.Send(Request(line.Split(' ')));

        Assert.Empty(writer.ReadAll());
        Assert.Contains(" flags=b ", other.Exchange(Request("CLIENT", "LIST", "ID", "1")));
        Assert.Equal("$-1\r\n:0\r\n", other.Exchange(Request("GET", "k") + Request("CLIENT", "UNBLOCK", "1")));
        Assert.Equal(Ok, other.Exchange(Request("CLIENT", "UNPAUSE")));
        var reply = writer.ReadAsync(4, Token);
        while (!reply.IsCompleted) // One of them waits afterwards, from some moment on.
        {
            Clock.Advance(TimeSpan.FromSeconds(1));
            await Task.Delay(1, Token);
        }

        Assert.NotEmpty(await reply);
    }

    [Fact]
    public async Task PauseOfAll_PutsEverythingOff_UntilItsEnd()
    {
        await using var server = await StartAsync(bounds: _shared);
        var (reader, other) = (server.Connect(), server.Connect());
        Assert.Equal(Ok, other.Exchange(Request("CLIENT", "PAUSE", "1000")));
        reader.Send(Request("GET", "k") + Request("PING"));
        other.Send(Request("CLIENT", "UNPAUSE"));
        Clock.Advance(TimeSpan.FromMilliseconds(999));
        Assert.Empty(reader.ReadAll());

        Clock.Advance(TimeSpan.FromMilliseconds(1));

        Assert.Equal("$-1\r\n+PONG\r\n", Encoding.Latin1.GetString(await reader.ReadAsync(12, Token)));
        Assert.Equal(Ok, Encoding.Latin1.GetString(await other.ReadAsync(5, Token)));
        Assert.False(server.Server.State.Pauses.AreThere);
    }

    [Fact]
    public async Task EndOfPause_ForAClientThatHasClosed_ExecutesNothing()
    {
        await using var server = await StartAsync(bounds: _shared);
        var (writer, other) = (server.Connect(), server.Connect());
        Assert.Equal(Ok, other.Exchange(Request("CLIENT", "PAUSE", "1000", "WRITE")));
        writer.Send(Request("SET", "k", "v"));
        Assert.Empty(writer.ReadAll());

        writer.Close();
        Assert.Equal(Ok, other.Exchange(Request("CLIENT", "UNPAUSE")));

        await Polling.WhileAsync(() => server.Server.State.Clients.Count > 1);
        Assert.Equal(":0\r\n", other.Exchange(Request("EXISTS", "k")));
    }

    [Fact]
    public async Task SecondPause_MakesItNeitherShorterNorWeaker()
    {
        await using var server = await StartAsync(bounds: _shared);
        var (writer, other) = (server.Connect(), server.Connect());
        other.Exchange(Request("CLIENT", "PAUSE", "1000", "WRITE") + Request("CLIENT", "PAUSE", "1", "WRITE"));
        writer.Send(Request("SET", "k", "v"));
        Clock.Advance(TimeSpan.FromMilliseconds(500));
        Assert.Empty(writer.ReadAll());
        Assert.Equal(Ok, other.Exchange(Request("CLIENT", "PAUSE", "1", "ALL")));

        other.Send(Request("GET", "k"));
        Clock.Advance(TimeSpan.FromMilliseconds(499));
        Assert.Empty(other.ReadAll());
        Clock.Advance(TimeSpan.FromMilliseconds(1));

        Assert.Equal(Ok, Encoding.Latin1.GetString(await writer.ReadAsync(5, Token)));
        Assert.NotEmpty(await other.ReadAsync(5, Token));
    }

    // A client that waits for a key gets no element meanwhile, for no client writes; its time passes.
    [Fact]
    public async Task Pause_OfAWaitingClient_LetsItsTimePass()
    {
        await using var server = await StartAsync(bounds: _shared);
        var (waiting, other) = (server.Connect(), server.Connect());
        waiting.Send(Request("BLPOP", "k", "0.5"));
        other.Exchange(Request("CLIENT", "PAUSE", "1000", "ALL"));

        Clock.Advance(TimeSpan.FromMilliseconds(500));

        Assert.Equal("*-1\r\n", Encoding.Latin1.GetString(await waiting.ReadAsync(5, Token)));
    }

    [Theory]
    [InlineData(true)]
    [InlineData(false)]
    public async Task Pause_BeforeACommandThatWaits_LetsItWaitAfterwards(bool isEnded)
    {
        await using var server = await StartAsync(bounds: _shared);
        var (waiting, other) = (server.Connect(), server.Connect());
        other.Exchange(Request("CLIENT", "PAUSE", "1000", "WRITE"));
        waiting.Send(Request("BLPOP", "k", "0"));
        if (isEnded)
            Assert.Equal(Ok, other.Exchange(Request("CLIENT", "UNPAUSE")));
        else
            Clock.Advance(TimeSpan.FromSeconds(1));

        while (!other.Exchange(Request("INFO", "clients")).Contains("blocked_clients:1\r\n"))
            await Task.Delay(1, Token);
        Assert.Equal(":1\r\n", other.Exchange(Request("RPUSH", "k", "v")));
        Assert.Equal(
            "*2\r\n$1\r\nk\r\n$1\r\nv\r\n", Encoding.Latin1.GetString(await waiting.ReadAsync(18, Token)));
    }

    [Theory]
    [InlineData("CLIENT PAUSE abc", "-ERR timeout is not an integer or out of range\r\n")]
    [InlineData("CLIENT PAUSE -1", "-ERR timeout is negative\r\n")]
    [InlineData("CLIENT PAUSE 1 FOO", "-ERR CLIENT PAUSE mode must be WRITE or ALL\r\n")]
    [InlineData("CLIENT PAUSE", "-ERR wrong number of arguments for 'client|pause' command\r\n")]
    [InlineData("CLIENT UNPAUSE x", "-ERR wrong number of arguments for 'client|unpause' command\r\n")]
    [InlineData(
        "CLIENT PAUSE 1 ALL x",
        "-ERR unknown subcommand or wrong number of arguments for 'PAUSE'. Try CLIENT HELP.\r\n")]
    [InlineData("CLIENT PAUSE 0", Ok)]
    [InlineData("CLIENT PAUSE 9223372036854775807", Ok)]
    [InlineData("CLIENT UNPAUSE", Ok)]
    public async Task Arguments_AreReadAsByRedis(string line, string reply)
    {
        await using var server = await StartAsync(bounds: _shared);
        var client = server.Connect();
        Assert.Equal(reply, client.Exchange(Request(line.Split(' '))));
        Assert.Equal("+PONG\r\n", client.Exchange(Request("PING")));
    }
}
