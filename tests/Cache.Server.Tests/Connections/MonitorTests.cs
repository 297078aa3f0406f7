using System.Text;
using System.Text.RegularExpressions;
using Cache.Testing;

namespace Cache.Server.Tests.Connections;

/// <summary>MONITOR. The expected lines are those of redis-server 7.0.15, apart from moment and address.</summary>
public sealed partial class MonitorTests : ConnectionTestBase
{
    private const string Ok = "+OK\r\n";

    [Fact]
    public async Task Monitor_CallsOfOthers_AreRedisLines()
    {
        await using var server = await StartAsync();
        var (monitor, client) = (server.Connect(), server.Connect());
        Assert.Equal(Ok, monitor.Exchange(Request("MONITOR")));

        client.Exchange(Request("SET", "k", "a\x01\n\"b\\c\t\a\b\r\xff e"));
        client.Exchange(Request("SELECT", "3"));
        client.Exchange(Request("get", "k") + Request("GET", "k"));
        client.Exchange(Request("AUTH", "secret"));
        client.Exchange(Request("HELLO", "3", "SETNAME", "me"));
        client.Exchange(Request("CONFIG", "SET", "requirepass", "") + Request("ACL", "SETUSER", "u", ">x"));
        client.Exchange(Request("NOSUCH", "a") + Request("GET") + Request("OBJECT", "FREQ", "k"));
        client.Exchange("PING\r\n");

        Assert.Equal(
            """
            +T [0 A] "SET" "k" "a\x01\n\"b\\c\t\a\b\r\xff e"
            +T [3 A] "SELECT" "3"
            +T [3 A] "get" "k"
            +T [3 A] "GET" "k"
            +T [3 A] "AUTH" "(redacted)"
            +T [3 A] "HELLO" "3" "SETNAME" "me"
            +T [3 A] "OBJECT" "FREQ" "k"
            +T [3 A] "PING"

            """.ReplaceLineEndings("\r\n"),
            await ReadLinesAsync(monitor, 8));
    }

    [Theory]
    [InlineData("GET k")]
    [InlineData("SET k v")]
    [InlineData("PUBLISH c v")]
    [InlineData("PFCOUNT k")]
    [InlineData("DBSIZE")]
    public async Task Monitor_UsesNoKeys(string line)
    {
        await using var server = await StartAsync();
        var monitor = server.Connect();
        Assert.Equal(Ok, monitor.Exchange(Request("MONITOR")));

        monitor.Send(Request(line.Split(' ')) + Request("RESET") + Request("EXISTS", "k"));

        Assert.StartsWith(
            "-ERR Replica can't interact with the keyspace\r\n", await ReadUntilAsync(monitor, "+RESET\r\n:0\r\n"),
            StringComparison.Ordinal);
    }

    [Fact]
    public async Task Monitor_Again_HasNoReply_AndOwnCallsAreShown()
    {
        await using var server = await StartAsync();
        var monitor = server.Connect();
        monitor.Exchange(Request("MONITOR"));

        monitor.Send(Request("MONITOR") + Request("PING"));

        Assert.Equal("+PONG\r\n+T [0 A] \"PING\"\r\n", await ReadLinesAsync(monitor, 2));
        Assert.Contains(" flags=O ", server.Connect().Exchange(Request("CLIENT", "LIST")), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Reset_EndsIt()
    {
        await using var server = await StartAsync();
        var (monitor, client) = (server.Connect(), server.Connect());
        monitor.Exchange(Request("MONITOR"));
        Assert.True(server.Server.State.Monitors.AreThere);

        Assert.StartsWith("+RESET\r\n", monitor.Exchange(Request("RESET")), StringComparison.Ordinal);

        Assert.False(server.Server.State.Monitors.AreThere);
        client.Exchange(Request("GET", "k"));
        Assert.DoesNotContain(" flags=O ", client.Exchange(Request("CLIENT", "LIST")), StringComparison.Ordinal);
    }

    [Fact]
    public async Task Close_OfTheClient_EndsItWithinASecond()
    {
        await using var server = await StartAsync();
        var monitor = server.Connect();
        monitor.Exchange(Request("MONITOR"));
        monitor.Close();
        await Polling.WhileAsync(() => server.Server.State.Clients.Count > 0);

        Clock.Advance(TimeSpan.FromSeconds(1));

        Assert.False(server.Server.State.Monitors.AreThere);
    }

    [Theory]
    [InlineData("MATCH user:*", "+T [0 A] \"GET\" \"user:1\"\r\n+T [0 A] \"MGET\" \"a\" \"user:2\"\r\n")]
    [InlineData("COMMAND mget", "+T [0 A] \"MGET\" \"a\" \"user:2\"\r\n")]
    [InlineData("COMMAND object", "+T [0 A] \"OBJECT\" \"ENCODING\" \"a\"\r\n")]
    [InlineData("COMMAND get MATCH a", "+T [0 A] \"GET\" \"a\"\r\n")]
    [InlineData("ID 2 COUNT 1", "+T [0 A] \"PING\"\r\n+end\r\n")]
    [InlineData("USER joe", "+T [0 A] \"GET\" \"of:joe\"\r\n")]
    public async Task Monitor_WithOptions_ShowsWhatMatches(string options, string lines)
    {
        await using var server = await StartAsync();
        var (monitor, client) = (server.Connect(), server.Connect());
        client.Exchange(Request("ACL", "SETUSER", "joe", "on", "nopass", "~*", "+@all"));
        var joe = server.Connect();
        joe.Exchange(Request("AUTH", "joe", "x"));
        Assert.Equal(Ok, monitor.Exchange(Request(["MONITOR", .. options.Split(' ')])));

        client.Exchange(Request("PING") + Request("GET", "a") + Request("GET", "user:1"));
        client.Exchange(Request("MGET", "a", "user:2") + Request("OBJECT", "ENCODING", "a"));
        joe.Exchange(Request("GET", "of:joe"));

        Assert.Equal(lines, await ReadLinesAsync(monitor, lines.Count(static one => one == '\n')));
    }

    [Fact]
    public async Task Monitor_Seconds_EndsThen()
    {
        await using var server = await StartAsync();
        var monitor = server.Connect();
        monitor.Exchange(Request("MONITOR", "SECONDS", "3"));
        Clock.Advance(TimeSpan.FromSeconds(2));
        Assert.True(server.Server.State.Monitors.AreThere);

        Clock.Advance(TimeSpan.FromSeconds(1));

        Assert.False(server.Server.State.Monitors.AreThere);
        Assert.Equal("+end\r\n", await ReadLinesAsync(monitor, 1));
    }

    // Of 10,000 calls about 1,000 are shown: the bounds are beyond six standard deviations.
    [Fact]
    public async Task Monitor_Sample_ShowsAPart()
    {
        await using var server = await StartAsync();
        var (monitor, client) = (server.Connect(), server.Connect());
        monitor.Exchange(Request("MONITOR", "SAMPLE", "0.1"));
        for (int i = 0; i < 100; i++)
            client.Exchange(Repeat(Request("PING"), 100));
        var outbox = server.Server.State.Clients.Find(1)!.Outbox!;
        await Polling.WhileAsync(() => outbox.Bytes > 0);

        monitor.Send(Request("ECHO", "done"));
        string lines = await ReadUntilAsync(monitor, Bulk("done"));

        Assert.InRange(Regex.Count(lines, "PING"), 800, 1200);
    }

    // The client takes nothing: what exceeds the bound is dropped, and it is told how much.
    [Fact]
    public async Task Monitor_ClientThatIsSlow_LosesLinesAndIsTold()
    {
        await using var server = await StartAsync(bounds: new InMemoryBounds { OutputPauseBytes = 4096 });
        var (monitor, client) = (server.Connect(), server.Connect());
        monitor.Exchange(Request("MONITOR"));
        string value = new('x', 100_000);
        for (int i = 0; i < 40; i++)
            client.Exchange(Request("SET", "k", value));

        monitor.Send(Request("PING"));
        client.Exchange(Request("GET", "last"));
        string lines = await ReadUntilAsync(monitor, "\"last\"\r\n", () => client.Exchange(Request("GET", "last")));

        Assert.InRange(Regex.Count(lines, "\"SET\""), 5, 20);
        Assert.Matches(@"\+dropped \d+\r\n", lines);
        Assert.Contains(server.Connect().Exchange(Request("PING")), "+PONG\r\n", StringComparison.Ordinal);
    }

    // As in Redis: it is silent by nature, and may wait long for a line.
    [Fact]
    public async Task Monitor_SilentForLongerThanTheTimeout_Stays()
    {
        await using var server = await StartAsync(new RespServerOptions { Timeout = TimeSpan.FromSeconds(10) });
        var (monitor, other) = (server.Connect(), server.Connect());
        monitor.Exchange(Request("MONITOR"));
        other.Exchange(Request("PING"));

        for (int i = 0; i < 30; i++)
            Clock.Advance(TimeSpan.FromSeconds(1));

        other.ReadAll();
        monitor.ReadAll();
        Assert.True(other.IsClosed);
        Assert.False(monitor.IsClosed);
        Assert.True(server.Server.State.Monitors.AreThere);
    }

    // Lines of several threads: none comes behind the end, which comes once.
    [Fact]
    public async Task Monitor_CountReachedByManyThreads_EndsOnceBehindItsLines()
    {
        await using var server = await StartAsync();
        var monitor = server.Connect();
        using var callers = new Callers(server);
        for (int i = 0; i < 100; i++)
        {
            monitor.Send(Request("MONITOR", "COUNT", "20"));
            string lines = await ReadUntilAsync(monitor, "+end\r\n");
            monitor.Send(Request("ECHO", "next"));
            lines += await ReadUntilAsync(monitor, Bulk("next"));

            Assert.Equal(20, Regex.Count(lines, "\"PING\""));
            Assert.EndsWith("\"PING\"\r\n+end\r\n" + Bulk("next"), lines, StringComparison.Ordinal);
        }
    }

    // A line behind the reply would be taken for the reply to the next request.
    [Fact]
    public async Task Reset_WhileOthersCall_IsTheLastOfIt()
    {
        await using var server = await StartAsync();
        var monitor = server.Connect();
        using var callers = new Callers(server);
        for (int i = 0; i < 100; i++)
        {
            monitor.Send(Request("MONITOR"));
            await ReadUntilAsync(monitor, "\"PING\"");
            monitor.Send(Request("RESET"));
            string lines = await ReadUntilAsync(monitor, "+RESET\r\n");
            monitor.Send(Request("ECHO", "next"));
            lines += await ReadUntilAsync(monitor, Bulk("next"));

            Assert.EndsWith("+RESET\r\n" + Bulk("next"), lines, StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData("MATCH", "-ERR syntax error\r\n")]
    [InlineData("NONE x", "-ERR syntax error\r\n")]
    [InlineData("ID 0", "-ERR client-id should be greater than 0\r\n")]
    [InlineData("USER nobody", "-ERR No such user 'nobody'\r\n")]
    [InlineData("COMMAND nothing", "-ERR COMMAND is not the name of a command, such as get or object|freq\r\n")]
    [InlineData("SAMPLE 0", "-ERR SAMPLE must be a number above 0 and at most 1\r\n")]
    [InlineData("SAMPLE 1.5", "-ERR SAMPLE must be a number above 0 and at most 1\r\n")]
    [InlineData("COUNT 0", "-ERR COUNT must be greater than 0\r\n")]
    [InlineData("SECONDS x", "-ERR SECONDS must be between 1 and 86400\r\n")]
    public async Task Monitor_WrongOption_IsAnError(string options, string error)
    {
        await using var server = await StartAsync();
        var client = server.Connect();

        Assert.Equal(error, client.Exchange(Request(["MONITOR", .. options.Split(' ')])));

        Assert.False(server.Server.State.Monitors.AreThere);
    }

    private static async Task<string> ReadLinesAsync(InMemoryClient client, int count)
    {
        var text = new StringBuilder();
        while (text.ToString().Count(static one => one == '\n') < count)
        {
            text.Append(Encoding.Latin1.GetString(client.ReadAll()));
            await Task.Delay(1, TestContext.Current.CancellationToken);
        }

        return Moment().Replace(text.ToString(), "+T [$1 A]");
    }

    private static async Task<string> ReadUntilAsync(InMemoryClient client, string end, Action? again = null)
    {
        // Only what is new is searched: else callers, which never rest, say more while this looks than it has read.
        var text = new StringBuilder();
        while (true)
        {
            string more = Encoding.Latin1.GetString(client.ReadSome());
            text.Append(more);
            int from = Math.Max(0, text.Length - more.Length - end.Length);
            if (text.ToString(from, text.Length - from).Contains(end, StringComparison.Ordinal))
                return text.ToString();
            await Task.Delay(1, TestContext.Current.CancellationToken);
            again?.Invoke();
        }
    }

    /// <summary>Threads whose clients call all the time.</summary>
    private sealed class Callers : IDisposable
    {
        private const int ThreadCount = 3;

        private readonly Thread[] _threads;
        private volatile bool _isOver;

        public Callers(InMemoryServer server)
        {
            _threads = [.. Enumerable.Range(0, ThreadCount).Select(_ => new Thread(() => Call(server.Connect())))];
            Array.ForEach(_threads, static one => one.Start());
        }

        public void Dispose()
        {
            _isOver = true;
            Array.ForEach(_threads, static one => one.Join());
        }

        private void Call(InMemoryClient client)
        {
            while (!_isOver)
                client.Exchange("PING\r\n");
        }
    }

    [GeneratedRegex(@"\+\d+\.\d{6} \[(\d+) [^\]]+\]")]
    private static partial Regex Moment();
}
