using System.Text;
using Cache.Core;
using Cache.Server;
using Cache.Testing;
using Microsoft.Extensions.DependencyInjection;

namespace Cache.Scripting.Tests;

/// <summary>
/// A server of sockets whose clients share one thread, while a script takes long: who is refused, who waits on, and how
/// it stops.
/// </summary>
public sealed class BusyServerTests : IAsyncLifetime
{
    private const string Busy =
        "-BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.\r\n";

    private const string Aborted =
        "-EXECABORT Transaction discarded because of: BUSY Redis is busy running a script. You can only call SCRIPT "
        + "KILL or SHUTDOWN NOSAVE.\r\n";

    private const string Endless = "while true do end";
    private const string EndlessWriter = "while true do redis.call('incr', 'w') end";

    // Longer than a stop waits, in one call of the native library, which looks at no kill; it ends by itself.
    private const string LongPattern = "return string.find(string.rep('a', 450), '.-.-.-b')";

    private static readonly TimeSpan _drainTimeout = TimeSpan.FromMilliseconds(200);

    // A stop waits for the drain timeout, for a second more, and for another one for the interpreter.
    private static readonly TimeSpan _stopMax = TimeSpan.FromSeconds(15);

    private readonly CacheStore _store = new(new CacheOptions { MemoryLimitBytes = 64 << 20 });
    private readonly List<TestClient> _clients = [];
    private RespServer _server = null!;

    public async ValueTask InitializeAsync()
    {
        var options = new RespServerOptions
        {
            Port = 0,
            IoThreadCount = 1,
            DrainTimeout = _drainTimeout,
        };
        _server = new RespServer(_store, options.UseScripting());
        await _server.StartAsync(CancellationToken.None);
        await CallAsync(await ConnectAsync(), "CONFIG SET busy-reply-threshold 50", "+OK\r\n");
    }

    public async ValueTask DisposeAsync()
    {
        await _server.DisposeAsync();
        foreach (var client in _clients)
            await client.DisposeAsync();
        _store.Dispose();
    }

    [Fact]
    public async Task Commands_WhileBusy_AreServedAsByRedis()
    {
        var (other, queueing) = (await ConnectAsync(), await ConnectAsync());
        var subscriber = await ConnectAsync();
        await CallAsync(queueing, "MULTI", "+OK\r\n");
        await CallAsync(queueing, "SET x 1", "+QUEUED\r\n");
        await CallAsync(subscriber, "SUBSCRIBE ch", "*3\r\n$9\r\nsubscribe\r\n$2\r\nch\r\n:1\r\n");
        var runs = await BeginAsync(Endless);

        await CallAsync(other, "GET x", Busy); // It waits until it is known that the script takes long.
        await CallAsync(queueing, "SET y 1", Busy);
        await CallAsync(queueing, "EXEC", Aborted);
        await CallAsync(queueing, "GET x", Busy);
        await CallAsync(queueing, "MULTI", "+OK\r\n");
        await CallAsync(queueing, "EXEC", Aborted);
        await CallAsync(queueing, "EXEC", Aborted);
        await CallAsync(queueing, "MULTI", "+OK\r\n");
        await CallAsync(queueing, "GET x", Busy);
        await CallAsync(queueing, "DISCARD", "+OK\r\n");
        await CallAsync(queueing, "WATCH x", "+OK\r\n");
        await CallAsync(queueing, "UNWATCH", "+OK\r\n");
        await CallAsync(queueing, "RESET", "+RESET\r\n");
        await CallAsync(other, "FOO", "-ERR unknown command 'FOO', with args beginning with: \r\n");
        await CallAsync(other, "GET", "-ERR wrong number of arguments for 'get' command\r\n");
        foreach (string line in new[]
        {
            "PING", "SELECT 1", "CLIENT ID", "CONFIG GET port", "INFO", "TIME", "SUBSCRIBE x", "SWAPDB 0 1",
            "SCRIPT EXISTS x", "SCRIPT FLUSH", "SCRIPT HELP", "EVALSHA x 0", "EVAL 1 0", "BLPOP l 0", "FLUSHALL",
        })
        {
            await CallAsync(other, line, Busy);
        }

        await CallAsync(subscriber, "PING", Busy);
        await CallAsync(await ConnectAsync(), "PING", Busy);
        await CallAsync(await ConnectAsync(), "QUIT", "+OK\r\n");
        await KillAsync(other, runs);
        await CallAsync(other, "PING", "+PONG\r\n");
        await CallAsync(other, "SCRIPT KILL", "-NOTBUSY No scripts in execution right now.\r\n");
    }

    [Fact]
    public async Task WaitingScripts_WhileBusy_GetBusy()
    {
        var clients = new List<TestClient>();
        var runs = await BeginAsync(Endless);
        for (int i = 0; i < 6; i++) // More than there are threads for long commands.
        {
            clients.Add(await ConnectAsync());
            await clients[i].SendAsync(Request("EVAL", "return 1", "0"));
        }

        foreach (var client in clients)
            await ExpectAsync(client, Busy);
        await KillAsync(clients[0], runs);
        await CallAsync(clients[1], Request("EVAL", "return 1", "0"), ":1\r\n");
    }

    [Fact]
    public async Task BlockedClient_WaitEndsWhileBusy_ItAloneIsPutOff()
    {
        var (blocked, other) = (await ConnectAsync(), await ConnectAsync());
        await blocked.SendAsync("BLPOP list 2\r\n");
        await UntilBlockedAsync(other);
        var runs = await BeginAsync(Endless);
        await CallAsync(other, "GET x", Busy);
        var reply = blocked.ReadAsync(5);
        await Task.Delay(2200, TestContext.Current.CancellationToken); // The wait ends meanwhile, on the thread of all.

        await CallAsync(other, "GET x", Busy);
        Assert.False(reply.IsCompleted);
        await KillAsync(other, runs);

        Assert.Equal("*-1\r\n", await reply);
        await CallAsync(blocked, "PING", "+PONG\r\n");
    }

    [Fact]
    public async Task BlockedClient_PushInProcessWhileBusy_IsServedAfterScript()
    {
        var (blocked, other) = (await ConnectAsync(), await ConnectAsync());
        await blocked.SendAsync("BLPOP list 0\r\n");
        await UntilBlockedAsync(other);
        var runs = await BeginAsync(
            "while redis.call('exists', 'go') == 0 do end return redis.call('llen', 'list')");
        await CallAsync(other, "GET x", Busy);

        for (int i = 0; i < 100; i++)
            _store.List("list"u8).Push(ListEnd.Right, "x"u8);
        await CallAsync(other, "MULTI", "+OK\r\n"); // A command that is served: it serves nobody else.
        await CallAsync(other, "DISCARD", "+OK\r\n");
        _store.Set("go"u8, "1"u8);

        await ExpectAsync(runs, ":100\r\n");
        await ExpectAsync(blocked, "*2\r\n$4\r\nlist\r\n$1\r\nx\r\n");
        await CallAsync(other, "LLEN list", ":99\r\n");
    }

    [Theory]
    [InlineData(Endless)]
    [InlineData(EndlessWriter)]
    [InlineData("while true do pcall(function() " + EndlessWriter + " end) end")]
    [InlineData(LongPattern)]
    public async Task Stop_LongScript_EndsInTime(string script)
    {
        var other = await ConnectAsync();
        await BeginAsync(script);
        await CallAsync(other, "GET x", Busy);
        var waiting = await ConnectAsync();
        await waiting.SendAsync(Request("EVAL", EndlessWriter, "0"));

        await _server.StopAsync(CancellationToken.None).WaitAsync(_stopMax, TestContext.Current.CancellationToken);
        AssertWritesNoMore();
    }

    [Fact]
    public async Task Stop_LongScriptAndNobodyIsRefused_EndsInTime()
    {
        var other = await ConnectAsync();
        await CallAsync(other, "CONFIG SET busy-reply-threshold 0", "+OK\r\n");
        await BeginAsync(EndlessWriter);
        await other.SendAsync("GET x\r\n"); // The thread of all waits.

        await _server.StopAsync(CancellationToken.None).WaitAsync(_stopMax, TestContext.Current.CancellationToken);
    }

    [Fact]
    public async Task ScriptKill_Writer_OnlyStopEndsIt()
    {
        var other = await ConnectAsync();
        var runs = await BeginAsync(EndlessWriter);
        await CallAsync(other, "GET x", Busy);
        await other.SendAsync("SCRIPT KILL\r\n");
        Assert.Equal("-UNKILLABLE", await other.ReadAsync(11));
        Assert.True(SpinWait.SpinUntil(() => _store.Contains("w"u8), _stopMax)); // It may be about to write.

        await _server.StopAsync(CancellationToken.None).WaitAsync(_stopMax, TestContext.Current.CancellationToken);
        AssertWritesNoMore();
        string reply = await runs.ReadToEndAsync();
        Assert.True(reply.Length == 0 || reply.StartsWith("-ERR Script killed", StringComparison.Ordinal), reply);
    }

    // The stop ends even scripts that have written.
    private void AssertWritesNoMore()
    {
        byte[]? count = _store.GetArray("w"u8);
        Thread.Sleep(50);
        Assert.Equal(count, _store.GetArray("w"u8));
    }

    private async Task<TestClient> ConnectAsync()
    {
        var client = await TestClient.ConnectAsync(_server.EndPoints[0]);
        _clients.Add(client);
        return client;
    }

    /// <summary>Sends a script by a client of its own, and waits until it runs.</summary>
    private async Task<TestClient> BeginAsync(string script)
    {
        var client = await ConnectAsync();
        await client.SendAsync(Request("EVAL", "redis.call('get', 'begun') " + script, "0"));
        await Task.Delay(20); // If it has not begun, the next command is served, and the test asks again.
        return client;
    }

    // Until the script is known to take long commands may be served.
    private static async Task CallAsync(TestClient client, string line, string reply)
    {
        string text = line[0] == '*' ? line : line + "\r\n";
        if (reply != Busy)
        {
            await client.ExchangeAsync(text, reply);
            return;
        }

        await client.SendAsync(text);
        while (await ReadLineAsync(client) is var actual && actual != Busy)
        {
            Assert.Equal("$-1\r\n", actual); // GET x, before the script has begun.
            await client.SendAsync(text);
        }
    }

    private static async Task<string> ReadLineAsync(TestClient client)
    {
        var line = new StringBuilder();
        while (line.Length < 2 || line[^1] != '\n')
            line.Append(await client.ReadAsync(1));
        return line.ToString();
    }

    private static async Task ExpectAsync(TestClient client, string reply) =>
        Assert.Equal(reply, await client.ReadAsync(reply.Length));

    private static async Task KillAsync(TestClient client, TestClient runs)
    {
        await CallAsync(client, "SCRIPT KILL", "+OK\r\n");
        Assert.StartsWith("-ERR Script killed by user with SCRIPT KILL...", await ReadLineAsync(runs));
    }

    private static async Task UntilBlockedAsync(TestClient client)
    {
        string line = "";
        while (line != "blocked_clients:1\r\n")
        {
            await client.SendAsync("INFO clients\r\n");
            int length = int.Parse((await ReadLineAsync(client)).AsSpan(1), provider: null);
            string text = await client.ReadAsync(length + 2);
            line = text.Split('\n').Single(one => one.StartsWith("blocked_clients:", StringComparison.Ordinal)) + "\n";
        }
    }

    private static string Request(params string[] words) =>
        $"*{words.Length}\r\n{string.Concat(words.Select(word => $"${word.Length}\r\n{word}\r\n"))}";
}
