using System.Text;
using Cache.Core;
using Cache.Server.Clients;
using Cache.Server.Tests.Connections;
using Cache.Testing;

namespace Cache.Server.Tests.Waits;

/// <summary>Clients that wait for keys; the replies are those of redis-server 7.0.15.</summary>
public sealed class BlockedClientTests : ConnectionTestBase
{
    private const string Element = "*2\r\n$1\r\nk\r\n$1\r\n";

    private static readonly InMemoryBounds _shared = new() { SharesThread = true };

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Push_WithSeveralWaiting_GoesToThemInTheOrderOfTheirArrival()
    {
        await using var server = await StartAsync(bounds: _shared);
        var waiting = Enumerable.Range(0, 5).Select(_ => server.Connect()).ToArray();
        foreach (var one in waiting)
            one.Send(Request("BLPOP", "other", "k", "0"));

        Assert.Equal(":3\r\n", server.Connect().Exchange(Request("RPUSH", "k", "1", "2", "3")));

        for (int i = 0; i < 3; i++)
            Assert.Equal($"{Element}{i + 1}\r\n", await ReadAsync(waiting[i], Element.Length + 3));
        Assert.Empty(waiting[3].ReadAll());
        Assert.Equal(2, server.Server.State.Waits.Count);
        Assert.Equal(":1\r\n:0\r\n", server.Connect().Exchange(Request("LPUSH", "k", "4") + Request("LLEN", "k")));
        Assert.Equal($"{Element}4\r\n", await ReadAsync(waiting[3], Element.Length + 3));
    }

    // What other clients see in the same read is as if the waiter had been served at once, as in Redis.
    [Fact]
    public async Task Push_InAPipeline_IsTakenBeforeTheNextCommand()
    {
        await using var server = await StartAsync(bounds: _shared);
        var waiting = server.Connect();
        waiting.Send(Request("BRPOP", "k", "0") + Request("LLEN", "k"));

        string replies = server.Connect().Exchange(
            Request("LPUSH", "k", "a", "b") + Request("LRANGE", "k", "0", "-1") + Request("EXISTS", "k"));

        Assert.Equal(":2\r\n*1\r\n$1\r\nb\r\n:1\r\n", replies);
        Assert.Equal($"{Element}a\r\n:1\r\n", await ReadAsync(waiting, Element.Length + 7));
    }

    [Theory]
    [InlineData("RENAME source k")]
    [InlineData("RENAMENX source k")]
    [InlineData("COPY source k")]
    [InlineData("LMOVE source k LEFT LEFT")]
    [InlineData("RPOPLPUSH source k")]
    [InlineData("SORT source BY nosort STORE k")]
    public async Task Change_ThatMakesTheList_Wakes(string line)
    {
        await using var server = await StartAsync(bounds: _shared);
        var (waiting, other) = (server.Connect(), server.Connect());
        waiting.Send(Request("BLPOP", "k", "0"));
        other.Exchange(Request("RPUSH", "source", "1"));

        other.Exchange(Request(line.Split(' ')));

        Assert.Equal($"{Element}1\r\n", await ReadAsync(waiting, Element.Length + 3));
    }

    [Fact]
    public async Task Move_OfAKeyFromAnotherDatabase_Wakes()
    {
        await using var server = await StartAsync(bounds: _shared);
        var (waiting, other) = (server.Connect(), server.Connect());
        waiting.Send(Request("BLPOP", "k", "0"));
        other.Exchange(Request("SELECT", "1") + Request("RPUSH", "k", "1"));
        Assert.Empty(waiting.ReadAll());

        Assert.Equal(":1\r\n", other.Exchange(Request("MOVE", "k", "0")));

        Assert.Equal($"{Element}1\r\n", await ReadAsync(waiting, Element.Length + 3));
    }

    [Fact]
    public async Task SwapDb_Wakes_AndClientsWaitForDatabasesByNumber()
    {
        await using var server = await StartAsync(bounds: _shared);
        var (zero, one, other) = (server.Connect(), server.Connect(), server.Connect());
        zero.Send(Request("BLPOP", "k", "0"));
        one.Send(Request("SELECT", "1") + Request("BLPOP", "k", "l", "0"));
        Assert.Equal("+OK\r\n", Encoding.Latin1.GetString(one.ReadAll()));
        other.Exchange(Request("SELECT", "2") + Request("RPUSH", "k", "1"));

        other.ReadAll();
        other.Send(Request("SWAPDB", "0", "2"));
        Assert.Equal("+OK\r\n", await ReadAsync(other, 5));
        Assert.Equal($"{Element}1\r\n", await ReadAsync(zero, Element.Length + 3));
        other.Send(Request("SWAPDB", "1", "2"));
        Assert.Equal("+OK\r\n", await ReadAsync(other, 5));
        Assert.Empty(one.ReadAll());

        other.Exchange(Request("SELECT", "1") + Request("RPUSH", "k", "2"));
        Assert.Equal($"{Element}2\r\n", await ReadAsync(one, Element.Length + 3));
    }

    [Fact]
    public async Task Push_InProcess_Wakes()
    {
        await using var server = await StartAsync(bounds: _shared);
        var (list, sortedSet) = (server.Connect(), server.Connect());
        list.Send(Request("BLMPOP", "0", "1", "k", "RIGHT", "COUNT", "5"));
        sortedSet.Send(Request("BZPOPMAX", "z", "0"));

        Store.List("k"u8).Push(ListEnd.Right, "1"u8);
        Store.SortedSet("z"u8).Add("m"u8, 1.5);

        Assert.Equal("*2\r\n$1\r\nk\r\n*1\r\n$1\r\n1\r\n", await ReadAsync(list, 22));
        Assert.Equal("*3\r\n$1\r\nz\r\n$1\r\nm\r\n$3\r\n1.5\r\n", await ReadAsync(sortedSet, 27));
        Assert.Equal(0, Store.Count);
    }

    [Fact]
    public async Task Key_OfAnotherKindMeanwhile_LeavesItWaiting()
    {
        await using var server = await StartAsync(bounds: _shared);
        var (list, sortedSet, other) = (server.Connect(), server.Connect(), server.Connect());
        list.Send(Request("BLPOP", "k", "0"));
        sortedSet.Send(Request("BZMPOP", "0", "1", "k", "MIN"));

        other.Exchange(Request("SET", "k", "v") + Request("DEL", "k"));
        other.Exchange(Request("SADD", "k", "m") + Request("DEL", "k"));
        Assert.Equal(2, server.Server.State.Waits.Count);
        other.Exchange(Request("ZADD", "k", "1", "m"));

        Assert.Equal("*2\r\n$1\r\nk\r\n*1\r\n*2\r\n$1\r\nm\r\n$1\r\n1\r\n", await ReadAsync(sortedSet, 33));
        Assert.Empty(list.ReadAll());
        string replies = other.Exchange(Request("SET", "k", "v") + Request("BLPOP", "k", "0"));
        Assert.StartsWith("+OK\r\n-WRONGTYPE ", replies, StringComparison.Ordinal);
    }

    [Fact]
    public async Task Move_IntoAKeyOfAnotherKind_EndsWithAnError_AndTheElementGoesToTheNext()
    {
        await using var server = await StartAsync(bounds: _shared);
        var (first, second, other) = (server.Connect(), server.Connect(), server.Connect());
        other.Exchange(Request("SET", "string", "v"));
        first.Send(Request("BLMOVE", "k", "string", "LEFT", "RIGHT", "0"));
        second.Send(Request("BRPOPLPUSH", "k", "chain", "0"));
        var third = server.Connect();
        third.Send(Request("BLPOP", "chain", "0"));

        Assert.Equal(":1\r\n", other.Exchange(Request("RPUSH", "k", "1")));

        const string Error = "-WRONGTYPE Operation against a key holding the wrong kind of value\r\n";
        Assert.Equal(Error, await ReadAsync(first, Error.Length));
        Assert.Equal("$1\r\n1\r\n", await ReadAsync(second, 7));
        Assert.Equal("*2\r\n$5\r\nchain\r\n$1\r\n1\r\n", await ReadAsync(third, 22));
        Assert.Contains("errorstat_WRONGTYPE:count=1\r\n", other.Exchange(Request("INFO", "errorstats")));
        Assert.Equal(1, Store.Count);
    }

    [Theory]
    [InlineData("BLPOP k 0.25")]
    [InlineData("BLMOVE k d LEFT LEFT 0.2491")]
    [InlineData("BZMPOP 0.25 1 k MIN")]
    public async Task Timeout_IsANullArray(string line)
    {
        await using var server = await StartAsync(bounds: _shared);
        var client = server.Connect();
        client.Send(Request(line.Split(' ')) + Request("PING"));
        Assert.Contains("clients_in_timeout_table:1\r\n", server.Connect().Exchange(Request("INFO", "clients")));
        Clock.Advance(TimeSpan.FromMilliseconds(249));
        Assert.Empty(client.ReadAll());

        Clock.Advance(TimeSpan.FromMilliseconds(1));

        Assert.Equal("*-1\r\n+PONG\r\n", await ReadAsync(client, 12));
        Assert.Equal(0, server.Server.State.Waits.Count);
    }

    [Theory]
    [InlineData("TIMEOUT", "*-1\r\n")]
    [InlineData("ERROR", "-UNBLOCKED client unblocked via CLIENT UNBLOCK\r\n")]
    public async Task Unblock_EndsIt_AndTheNextElementStays(string reason, string reply)
    {
        await using var server = await StartAsync(bounds: _shared);
        var (client, other) = (server.Connect(), server.Connect());
        client.Send(Request("BLPOP", "k", "0"));
        Assert.Contains(" flags=b ", other.Exchange(Request("CLIENT", "LIST", "ID", "1")));
        Assert.Contains(" cmd=blpop ", other.Exchange(Request("CLIENT", "LIST", "ID", "1")));

        Assert.Equal(":1\r\n", other.Exchange(Request("CLIENT", "UNBLOCK", "1", reason)));

        Assert.Equal(reply, await ReadAsync(client, reply.Length));
        Assert.Equal(":1\r\n:1\r\n", other.Exchange(Request("LPUSH", "k", "1") + Request("LLEN", "k")));
    }

    [Fact]
    public async Task End_OfAWaitingClient_LosesNoElement()
    {
        await using var server = await StartAsync(bounds: _shared);
        var (killed, gone, last) = (server.Connect(), server.Connect(), server.Connect());
        foreach (var one in new[] { killed, gone, last })
            one.Send(Request("BLPOP", "k", "0"));
        var other = server.Connect();

        Assert.Equal(":1\r\n", other.Exchange(Request("CLIENT", "KILL", "ID", "1")));
        gone.Vanish();
        Clock.Advance(TimeSpan.FromSeconds(1));
        await Polling.WhileAsync(() => server.Server.State.Waits.Count > 1);
        other.Exchange(Request("RPUSH", "k", "1"));

        Assert.Equal($"{Element}1\r\n", await ReadAsync(last, Element.Length + 3));
    }

    // The sweep has not seen it yet.
    [Fact]
    public async Task Push_AfterAWaitingClientHasGone_GoesToTheNext()
    {
        await using var server = await StartAsync(bounds: _shared);
        var (gone, last) = (server.Connect(), server.Connect());
        gone.Send(Request("BLPOP", "k", "0"));
        last.Send(Request("BLPOP", "k", "0"));
        gone.Vanish();

        server.Connect().Exchange(Request("RPUSH", "k", "1"));

        Assert.Equal($"{Element}1\r\n", await ReadAsync(last, Element.Length + 3));
    }

    [Fact]
    public async Task Wait_Ends_AndTheStoreIsNoLongerObserved()
    {
        await using var server = await StartAsync(bounds: _shared);
        var (client, other) = (server.Connect(), server.Connect());
        client.Send(Request("BLPOP", "k", "0"));
        Assert.True(server.Server.State.Waits.IsAttached);
        other.Exchange(Request("RPUSH", "k", "1"));
        await ReadAsync(client, Element.Length + 3);
        await Polling.WhileAsync(() => server.Server.State.Waits.AreThere);

        Clock.Advance(TimeSpan.FromSeconds(1));

        Assert.False(server.Server.State.Waits.IsAttached);
        client.Send(Request("BLPOP", "k", "0"));
        other.Exchange(Request("RPUSH", "k", "2"));
        Assert.Equal($"{Element}2\r\n", await ReadAsync(client, Element.Length + 3));
    }

    // So much is not copied on the thread of the one who pushed.
    [Fact]
    public async Task LongElement_IsTakenByItsOwnClient_InOrder()
    {
        await using var server = await StartAsync(bounds: _shared);
        var (first, second, other) = (server.Connect(), server.Connect(), server.Connect());
        first.Send(Request("BLPOP", "k", "0"));
        second.Send(Request("BLPOP", "k", "0"));
        string one = new('1', 200_000);
        string two = new('2', 200_000);

        Assert.Equal(":2\r\n", other.Exchange(Request("RPUSH", "k", one, two)));

        string reply = $"*2\r\n$1\r\nk\r\n$200000\r\n{one}\r\n";
        Assert.Equal(reply, await ReadAsync(first, reply.Length));
        Assert.Equal(reply.Replace('1', '2').Replace("*2\r\n$2", "*2\r\n$1", StringComparison.Ordinal),
            (await ReadAsync(second, reply.Length)));
        Assert.Equal(0, Store.Count);
    }

    [Fact]
    public async Task Memory_OfAWaitingClient_IsCounted_AndGivenBack()
    {
        await using var server = await StartAsync(bounds: _shared);
        var client = server.Connect();
        string[] keys = [.. Enumerable.Range(0, 1000).Select(static i => $"key{i}")];
        client.Send(Request(["BLPOP", .. keys, "0"]));
        Assert.InRange(server.Server.State.ClientMemory.Bytes, 150_000, 1_000_000);

        server.Connect().Exchange(Request("RPUSH", "key999", "1"));

        Assert.StartsWith("*2\r\n$6\r\nkey999\r\n", await ReadAsync(client, 23), StringComparison.Ordinal);
        await Polling.WhileAsync(() => server.Server.State.ClientMemory.Bytes > 2 * ClientMemory.IdleClientBytes);
        Assert.Equal(0, server.Server.State.Waits.Count);
    }

    [Fact]
    public async Task Call_ThatWaits_IsCountedAndShownOnce()
    {
        await using var server = await StartAsync(bounds: _shared);
        var (client, monitor, other) = (server.Connect(), server.Connect(), server.Connect());
        monitor.Exchange(Request("MONITOR"));

        client.Send(Request("BLPOP", "k", "0"));
        Assert.Contains("\"BLPOP\" \"k\" \"0\"", await ReadLineAsync(monitor));
        Clock.Advance(TimeSpan.FromSeconds(10));
        other.Exchange(Request("RPUSH", "k", "1"));
        await ReadAsync(client, Element.Length + 3);

        string text = other.Exchange(Request("INFO", "commandstats"));
        Assert.Contains("cmdstat_blpop:calls=1,", text);
        while (await ReadLineAsync(monitor) is { } line && !line.Contains("INFO", StringComparison.Ordinal))
            Assert.DoesNotContain("BLPOP", line);
        Assert.Equal(":0\r\n", other.Exchange(Request("SLOWLOG", "LEN")));
        Assert.Contains("blocked_clients:0\r\n", other.Exchange(Request("INFO", "clients")));
    }

    [Fact]
    public async Task Rights_ThatAreTakenAwayMeanwhile_DoNotLoseTheElement()
    {
        await using var server = await StartAsync(bounds: _shared);
        var (client, other) = (server.Connect(), server.Connect());
        other.Exchange(Request("ACL", "SETUSER", "u", "on", "nopass", "+@all", "~*"));
        client.Exchange(Request("AUTH", "u", "x"));
        client.Send(Request("BLPOP", "k", "0"));
        other.Exchange(Request("ACL", "SETUSER", "u", "-blpop"));

        other.Exchange(Request("RPUSH", "k", "1"));

        Assert.Equal($"{Element}1\r\n", await ReadAsync(client, Element.Length + 3));
    }

    private static async Task<string> ReadLineAsync(InMemoryClient client)
    {
        var line = new StringBuilder();
        while (line.Length == 0 || line[^1] != '\n')
            line.Append(await ReadAsync(client, 1));
        return line.ToString();
    }

    private static async Task<string> ReadAsync(InMemoryClient client, int length)
    {
        using var end = CancellationTokenSource.CreateLinkedTokenSource(Token);
        end.CancelAfter(TimeSpan.FromSeconds(60));
        return Encoding.Latin1.GetString(await client.ReadAsync(length, end.Token));
    }
}
