using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Cache.Core;
using Cache.Server.Waits;
using Cache.Testing;

namespace Cache.Server.Tests.Commands.Migration;

public sealed class MigrateCommandTests : IDisposable
{
    private const string Ok = "+OK\r\n";
    private const string Unanswered = "-IOERR error or timeout reading to target instance\r\n";

    // Its clock stands still; a server needs one that goes.
    private readonly CacheStore _store = new(new CacheOptions { MemoryLimitBytes = 32 << 20 }, new FakeTimeProvider());
    private readonly CacheStore _targetStore = new(new CacheOptions { MemoryLimitBytes = 32 << 20 });
    private readonly CommandClient _client;

    public MigrateCommandTests() => _client = new CommandClient(_store);

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    [Fact]
    public async Task Keys_OfAllKinds_AreThereAndNotHere()
    {
        await using var server = await StartAsync();
        Fill();
        var target = new CommandClient(_targetStore);
        target.Run("SELECT 3");

        string reply = await MigrateAsync(PortOf(server), "", "3", "KEYS", "s", "h", "l", "z", "none", "x");

        Assert.Equal(Ok, reply);
        Assert.Equal(":0\r\n", _client.Run("DBSIZE"));
        Assert.Equal("$5\r\nvalue\r\n", target.Run("GET s"));
        Assert.Equal("*2\r\n$1\r\na\r\n$1\r\nb\r\n", target.Run("LRANGE l 0 -1"));
        Assert.Equal("$1\r\n1\r\n", target.Run("HGET h f"));
        Assert.Equal("$3\r\n1.5\r\n", target.Run("ZSCORE z m"));
        Assert.Equal(":1\r\n", target.Run("XLEN x"));
        Assert.Equal(":-1\r\n", target.Run("TTL h"));
        Assert.InRange(int.Parse(target.Run("TTL s").AsSpan(1), CultureInfo.InvariantCulture), 90, 100);
        Assert.Equal(0, _client.Server.Watches.Count);
    }

    [Fact]
    public async Task Copy_LeavesTheKey_AndReplaceReplacesIt()
    {
        await using var server = await StartAsync();
        _client.Run("SET s one");
        string port = PortOf(server);

        Assert.Equal(Ok, await MigrateAsync(port, "s", "0", "COPY"));
        Assert.Equal("$3\r\none\r\n", _client.Run("GET s"));
        _client.Run("SET s other");
        Assert.Equal(
            "-ERR Target instance replied with error: BUSYKEY Target key name already exists.\r\n",
            await MigrateAsync(port, "s", "0"));
        Assert.Equal("$5\r\nother\r\n", _client.Run("GET s"));
        Assert.Equal(Ok, await MigrateAsync(port, "s", "0", "REPLACE"));
        Assert.Equal("$-1\r\n", _client.Run("GET s"));
        Assert.Equal("+NOKEY\r\n", await MigrateAsync(port, "s", "0"));
        Assert.Equal("other"u8.ToArray(), _targetStore.GetArray("s"u8));
    }

    // The clients that are there for the target's password too.
    [Theory]
    [InlineData("-ERR Target instance replied with error: NOAUTH Authentication required.\r\n")]
    [InlineData(
        "-ERR Target instance replied with error: WRONGPASS invalid username-password pair or user is disabled.\r\n",
        "AUTH", "wrong")]
    [InlineData(Ok, "AUTH", "secret")]
    [InlineData(Ok, "AUTH2", "default", "secret")]
    public async Task Target_WithAPassword_IsAskedFirst(string reply, params string[] options)
    {
        await using var server = await StartAsync("secret");
        _client.Run("SET s one");

        Assert.Equal(reply, await MigrateAsync(PortOf(server), "s", "0", options));

        Assert.Equal(reply == Ok ? ":0\r\n" : ":1\r\n", _client.Run("EXISTS s"));
        Assert.Equal(reply == Ok, _targetStore.TryPeekInfo("s"u8, out _));
    }

    [Fact]
    public async Task Key_ThatIsWrittenOnItsWay_IsSentAgain()
    {
        var writer = new CommandClient(_client.Server);
        using var target = new FakeTarget(request =>
        {
            if (request.Length == 4)
                writer.Run("SET s two");
            return "+OK";
        });
        _client.Run("SET s one");

        Assert.Equal(Ok, await MigrateAsync(target.Port, "s", "0"));

        Assert.Equal(":0\r\n", _client.Run("EXISTS s"));
        Assert.Equal(2, target.Requests.Length);
        Assert.Equal("REPLACE", target.Requests[1][^1]);
        Assert.Contains("two", target.Requests[1][3], StringComparison.Ordinal);
    }

    [Fact]
    public async Task Key_ThatIsRemovedOnItsWay_IsRemovedThere()
    {
        var writer = new CommandClient(_client.Server);
        using var target = new FakeTarget(request =>
        {
            writer.Run("DEL s");
            return "+OK";
        });
        _client.Run("SET s one");

        Assert.Equal(Ok, await MigrateAsync(target.Port, "s", "0"));

        Assert.Equal(["DEL", "s"], target.Requests[1]);
        Assert.Equal(2, target.Requests.Length);
    }

    [Fact]
    public async Task Key_ThatIsWrittenEachTime_StaysHere()
    {
        var writer = new CommandClient(_client.Server);
        using var target = new FakeTarget(request =>
        {
            writer.Run("INCR n");
            return "+OK";
        });
        _client.Run("INCR n");

        Assert.Equal(
            "-ERR A key was changed each time that it was sent: it stays here, and the target has an older value\r\n",
            await MigrateAsync(target.Port, "n", "0"));

        Assert.Equal(":1\r\n", _client.Run("EXISTS n"));
        Assert.Equal(64, target.Requests.Length);
        Assert.All(target.Requests, static request => Assert.Equal("RESTORE", request[0]));
        Assert.Equal(0, _client.Server.Watches.Count);
    }

    // A balancer, or a wrong word: each RESTORE changes the key that is sent.
    [Fact]
    public async Task Target_ThatIsThisServer_LosesNoKey()
    {
        await using var server = await StartAsync();
        using var client = new TcpClient();
        await client.ConnectAsync((IPEndPoint)server.EndPoints[0], Token);
        var stream = client.GetStream();
        using var reader = new StreamReader(stream);
        await stream.WriteAsync(Encoding.ASCII.GetBytes(
            $"SET s v\r\nMIGRATE 127.0.0.1 {PortOf(server)} s 0 60000 REPLACE\r\nGET s\r\n"), Token);
        Assert.Equal("+OK", await reader.ReadLineAsync(Token));
        Assert.StartsWith("-ERR A key was changed each time", await reader.ReadLineAsync(Token));
        Assert.Equal("$1", await reader.ReadLineAsync(Token));
        Assert.Equal("v", await reader.ReadLineAsync(Token));
    }

    // The second one would find it gone, and would have it removed where the first has sent it.
    [Fact]
    public async Task Key_ThatAnotherClientSends_IsNotSentByASecondOne()
    {
        using var isOver = new ManualResetEventSlim();
        using var target = new FakeTarget(_ =>
        {
            isOver.Wait();
            return "+OK";
        });
        _client.Run("MSET s one t two");
        Assert.Empty(_client.Begin("MIGRATE", "127.0.0.1", target.Port, "", "0", "60000", "REPLACE", "KEYS", "s"));
        string[] request = ["MIGRATE", "127.0.0.1", target.Port, "", "0", "60000", "REPLACE", "KEYS", "t", "s"];
        var second = new CommandClient(_client.Server);
        Assert.Equal(
            "-ERR another client sends one of the keys to a server just now, try again\r\n", second.Call(request));
        second.Run("SELECT 1");
        Assert.Equal("+NOKEY\r\n", second.Call(request));
        second.Run("SET s other");
        Assert.Empty(second.Begin(request));
        isOver.Set();
        string reply = "";
        await Polling.WhileAsync(() => (reply += _client.Receive()).Length == 0);
        Assert.Equal(Ok, reply);
        Assert.Equal("*1\r\n$1\r\nt\r\n", _client.Run("KEYS *"));
        Assert.Equal("+NOKEY\r\n", _client.Call("MIGRATE", "127.0.0.1", target.Port, "s", "0", "60000"));
    }

    [Fact]
    public async Task Key_ThatIsNamedTwice_IsSentOnce()
    {
        using var target = new FakeTarget(static _ => "+OK");
        _client.Run("SET s one");
        Assert.Equal(Ok, await MigrateAsync(target.Port, "", "0", "REPLACE", "KEYS", "s", "s"));
        Assert.Equal("RESTORE", Assert.Single(target.Requests)[0]);
        Assert.Equal(":0\r\n", _client.Run("EXISTS s"));
    }

    [Fact]
    public async Task Databases_ThatAreSwapped_DoNotChangeWhichKeyIsSent()
    {
        var other = new CommandClient(_client.Server);
        using var target = new FakeTarget(request =>
        {
            if (request.Length == 4)
                other.Run("SWAPDB 0 1");
            return "+OK";
        });
        _client.Run("SET s one");
        other.Run("SELECT 1");
        other.Run("SET s other");
        Assert.Equal(Ok, await MigrateAsync(target.Port, "s", "0"));
        Assert.All(target.Requests, static request => Assert.Contains("one", request[3], StringComparison.Ordinal));
        Assert.Equal("$5\r\nother\r\n", _client.Run("GET s"));
        Assert.Equal("$-1\r\n", other.Run("GET s"));
    }

    [Fact]
    public async Task Keys_OfWhichOneIsRefused_MoveButForThat()
    {
        using var target = new FakeTarget(
            static request => request[1] == "b" ? "-BUSYKEY Target key name already exists." : "+OK");
        _client.Run("MSET a 1 b 2 c 3");

        Assert.Equal(
            "-ERR Target instance replied with error: BUSYKEY Target key name already exists.\r\n",
            await MigrateAsync(target.Port, "", "0", "KEYS", "a", "b", "c"));

        Assert.Equal("*1\r\n$1\r\nb\r\n", _client.Run("KEYS *"));
    }

    [Theory]
    [InlineData(null)]
    [InlineData("$3\r\nfoo")]
    [InlineData("")]
    public async Task Target_ThatIsNoRedis_MovesNothing(string? answer)
    {
        using var target = new FakeTarget(_ => answer);
        _client.Run("SET s one");

        Assert.Equal(Unanswered, await MigrateAsync(target.Port, "s", "0"));

        Assert.Equal(":1\r\n", _client.Run("EXISTS s"));
    }

    [Fact]
    public async Task Target_ThatIsSilent_IsGivenUpAfterTheTimeout()
    {
        using var isOver = new ManualResetEventSlim();
        using var target = new FakeTarget(_ =>
        {
            isOver.Wait();
            return null;
        });
        _client.Run("SET s one");

        Assert.Equal(Unanswered, await CallAsync("MIGRATE", "127.0.0.1", target.Port, "s", "0", "50"));

        isOver.Set();
        Assert.Equal(":1\r\n", _client.Run("EXISTS s"));
    }

    [Theory]
    [InlineData("0")]
    [InlineData("65536")]
    [InlineData("word")]
    public async Task Port_ThatIsNone_IsNotReached(string port) => Assert.StartsWith(
        "-IOERR error or timeout writing to target instance\r\n",
        await SetAndMigrateAsync(port), StringComparison.Ordinal);

    [Theory]
    [InlineData("ERR syntax error", "s", "0", "FOO")]
    [InlineData("ERR syntax error", "s", "0", "AUTH")]
    [InlineData("ERR syntax error", "s", "0", "AUTH2", "name")]
    [InlineData("ERR value is not an integer or out of range", "s", "one")]
    [InlineData(
        "ERR When using MIGRATE KEYS option, the key argument must be set to the empty string", "s", "0", "KEYS", "s")]
    public void Request_ThatIsWrong_IsRefused(string error, string key, string database, params string[] options)
    {
        _client.Run("SET s one");

        Assert.Equal(
            $"-{error}\r\n", _client.Call(["MIGRATE", "127.0.0.1", "1", key, database, "1000", .. options]));
    }

    // As redis-server 7.0.15 finds them; rights and slots are asked of these.
    [Theory]
    [InlineData("k", "k", "0", "1")]
    [InlineData("", "", "0", "1")]
    [InlineData("", "", "0", "1", "KEYS")]
    [InlineData("a KEYS b", "", "0", "1", "KEYS", "a", "KEYS", "b")]
    [InlineData("a", "", "0", "1", "AUTH", "KEYS", "KEYS", "a")]
    [InlineData("a b", "", "0", "1", "COPY", "AUTH2", "keys", "keys", "keys", "a", "b")]
    [InlineData("a", "", "0", "1", "FOO", "KEYS", "a")]
    public void Keys_OfARequest_AreThose(string keys, params string[] arguments)
    {
        string[] expected = keys.Split(' ');

        string reply = _client.Call(["COMMAND", "GETKEYS", "MIGRATE", "KEYS", "1", .. arguments]);

        Assert.Equal(
            $"*{expected.Length}\r\n" + string.Concat(expected.Select(static key => $"${key.Length}\r\n{key}\r\n")),
            reply);
    }

    [Fact]
    public void Rights_ToTheKeysBehindKeys_AreEnough()
    {
        _client.Run("ACL SETUSER mover on nopass +@all ~a*");
        _client.Run("AUTH mover any");

        Assert.Equal("+NOKEY\r\n", _client.Call("MIGRATE", "127.0.0.1", "1", "", "0", "1", "KEYS", "a1", "a2"));
        Assert.StartsWith(
            "-NOPERM", _client.Call("MIGRATE", "127.0.0.1", "1", "", "0", "1", "KEYS", "b", "KEYS", "a2"),
            StringComparison.Ordinal);
    }

    [Fact]
    public void Transaction_DoesNotWaitForATarget()
    {
        _client.Run("SET s one");
        _client.Run("MULTI");
        _client.Run("MIGRATE 127.0.0.1 1 s 0 1000");

        Assert.Equal(
            "*1\r\n-ERR MIGRATE waits for its target, so it cannot be a part of a transaction\r\n",
            _client.Run("EXEC"));
    }

    [Fact]
    public void Client_ThatEnds_LeavesNothing()
    {
        using var isAsked = new ManualResetEventSlim();
        using var isOver = new ManualResetEventSlim();
        using var target = new FakeTarget(_ =>
        {
            isAsked.Set();
            isOver.Wait();
            return null;
        });
        _client.Run("SET s one");
        Assert.Empty(_client.Begin("MIGRATE", "127.0.0.1", target.Port, "s", "0", "60000"));
        isAsked.Wait(Token);
        Assert.Equal(1, _client.Server.Watches.Count);
        var other = new CommandClient(_client.Server);
        Assert.Equal(":0\r\n", other.Run($"CLIENT UNBLOCK {_client.Client.Id}"));
        Assert.Empty(_client.Receive());

        _client.Client.Kill();

        Assert.StartsWith("-ERR The client ends", _client.Receive(), StringComparison.Ordinal);
        Assert.Equal(0, _client.Server.Watches.Count);
        isOver.Set();
        Assert.Single(target.Requests);
        Assert.Equal(":1\r\n", new CommandClient(_client.Server).Run("EXISTS s"));
    }

    [Fact]
    public void Clients_ThatMigrateAtATime_AreFew()
    {
        using var silent = new TcpListener(IPAddress.Loopback, 0);
        silent.Start();
        string port = ((IPEndPoint)silent.LocalEndpoint).Port.ToString(CultureInfo.InvariantCulture);
        string[] request = ["MIGRATE", "127.0.0.1", port, "s", "0", "60000", "COPY"];
        _client.Run("SET s one");
        var waiting = Enumerable.Range(0, KeysOnTheirWay.ClientsMax)
            .Select(_ => new CommandClient(_client.Server)).ToList();
        Assert.All(waiting, client => Assert.Empty(client.Begin(request)));

        Assert.StartsWith("-ERR too many clients", _client.Call(request), StringComparison.Ordinal);

        waiting[0].Client.Kill();
        waiting[0].Receive();
        Assert.Empty(new CommandClient(_client.Server).Begin(request));
    }

    [Fact]
    public async Task Passwords_AreNotLogged()
    {
        _client.Run("CONFIG SET slowlog-log-slower-than 0");

        await SetAndMigrateAsync("0", "AUTH2", "name", "secret");

        string log = _client.Run("SLOWLOG GET");
        Assert.Contains("MIGRATE", log, StringComparison.Ordinal);
        Assert.DoesNotContain("secret", log, StringComparison.Ordinal);
    }

    public void Dispose()
    {
        _store.Dispose();
        _targetStore.Dispose();
    }

    private void Fill()
    {
        _client.Run("SET s value EX 100");
        _client.Run("HSET h f 1");
        _client.Run("RPUSH l a b");
        _client.Run("ZADD z 1.5 m");
        _client.Run("XADD x 1-1 f v");
    }

    private async Task<RespServer> StartAsync(string? password = null)
    {
        var server = new RespServer(_targetStore, new RespServerOptions { Port = 0, RequirePass = password });
        await server.StartAsync(Token);
        return server;
    }

    private static string PortOf(RespServer server) =>
        ((IPEndPoint)server.EndPoints[0]).Port.ToString(CultureInfo.InvariantCulture);

    private Task<string> SetAndMigrateAsync(string port, params string[] options)
    {
        _client.Run("SET s one");
        return MigrateAsync(port, "s", "0", options);
    }

    private Task<string> MigrateAsync(string port, string key, string database, params string[] options) =>
        CallAsync(["MIGRATE", "127.0.0.1", port, key, database, "60000", .. options]);

    private async Task<string> CallAsync(params string[] arguments)
    {
        string reply = _client.Begin(arguments);
        await Polling.WhileAsync(() => (reply += _client.Receive()).Length == 0);
        return reply;
    }
}
