using Cache.Core;
using Cache.Testing;

namespace Cache.Scripting.Tests;

/// <summary>Scripts that take long and use the keys that they declare: all other keys are served meanwhile.</summary>
public sealed class HeldKeysTests
{
    private const string Busy =
        "-BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.\r\n";

    // Reads its keys until the first one is there.
    private const string Waiting = "while redis.call('exists', KEYS[1]) == 0 do end ";

    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(30);

    [Fact]
    public async Task EndlessScript_OtherKeys_AreServedBeforeAndAfterTheThreshold()
    {
        await using var server = await ScriptServer.StartAsync();
        var (client, other) = (server.Connect(), server.Connect());
        await CallAsync(other, "+OK\r\n", "SET", "x", "1");
        const string Simple = "return redis.call('get', KEYS[1])";
        await CallAsync(other, "$1\r\n1\r\n", "EVAL", Simple, "1", "x");
        await CallAsync(
            other, "$1\r\nl\r\n", "FUNCTION", "LOAD",
            $"#!lua name=l\nredis.register_function('f', function(KEYS) {Simple} end)");
        var run = Run(client, "EVAL", "while true do redis.call('get', KEYS[2]) end", "2", "a", "b");
        await UntilHeldAsync(server);

        foreach (bool isBusy in new[] { false, true })
        {
            if (isBusy)
                await CallAsync(other, Busy, "GET", "b");
            await CallAsync(other, "$1\r\n1\r\n", "GET", "x");
            await CallAsync(other, ":1\r\n", isBusy ? "DEL" : "EXISTS", isBusy ? "y" : "x");
            await CallAsync(other, "+OK\r\n", "MSET", "y", "1", "z", "2");
            await CallAsync(other, "$1\r\n1\r\n", "EVAL", Simple, "1", "x");
            await CallAsync(other, "$1\r\n1\r\n", "FCALL", "f", "1", "x");
            await CallAsync(other, "+PONG\r\n", "PING");
            await CallAsync(other, ":0\r\n", "PUBLISH", "channel", "text");
            await CallAsync(other, "+OK\r\n", "WATCH", "y");
            await CallAsync(other, "+OK\r\n", "MULTI");
            await CallAsync(other, "+QUEUED\r\n", "GET", "x");
            await CallAsync(other, "*1\r\n$1\r\n1\r\n", "EXEC");
            Assert.False(run.IsCompleted);
        }

        await CallAsync(other, "+OK\r\n", "SCRIPT", "KILL");
        Assert.StartsWith("-ERR Script killed by user", await run);
        await CallAsync(other, "$-1\r\n", "GET", "a");
    }

    [Theory]
    [InlineData("GET", "a")]
    [InlineData("MGET", "x", "b")]
    [InlineData("SUNIONSTORE", "x", "y", "b")]
    [InlineData("EVAL", "return redis.call('get', KEYS[1])", "1", "b")]
    [InlineData("EVAL", "return redis.call('get', ARGV[1])", "0", "x")]
    [InlineData("EVALSHA", "0000000000000000000000000000000000000000", "0")]
    [InlineData("SCRIPT", "LOAD", "return 1")]
    [InlineData("SCRIPT", "FLUSH")]
    [InlineData("FUNCTION", "LIST")]
    [InlineData("FCALL", "f", "0")]
    [InlineData("KEYS", "*")]
    [InlineData("SCAN", "0")]
    [InlineData("FLUSHDB")]
    [InlineData("FLUSHALL")]
    [InlineData("SWAPDB", "0", "1")]
    [InlineData("SORT", "x", "BY", "*")]
    [InlineData("BLMOVE", "x", "a", "LEFT", "LEFT", "0")]
    public async Task EndlessScript_ItsKeysAndAll_AreRefused(params string[] words)
    {
        await using var server = await ScriptServer.StartAsync();
        var (client, other) = (server.Connect(), server.Connect());
        var queueing = server.Connect();
        var run = Run(client, "EVAL", "while true do redis.call('get', KEYS[2]) end", "2", "a", "b");
        await UntilHeldAsync(server);

        await CallAsync(other, Busy, words); // After the threshold.
        await CallAsync(queueing, "+OK\r\n", "MULTI");
        await CallAsync(queueing, Busy, "SET", "a", "1");
        await CallAsync(queueing, "-EXECABORT Transaction discarded because of: " + Busy[1..], "EXEC");
        await CallAsync(other, "+OK\r\n", "SCRIPT", "KILL");
        Assert.StartsWith("-ERR Script killed by user", await run);
        await CallAsync(queueing, "+PONG\r\n", "PING");
    }

    [Fact]
    public async Task LongScript_ItsKeys_WaitForItsEnd()
    {
        await using var server = await ScriptServer.StartAsync();
        var (client, other) = (server.Connect(), server.Connect());
        var (reader, watcher, clearer) = (server.Connect(), server.Connect(), server.Connect());
        await CallAsync(other, "+OK\r\n", "CONFIG", "SET", "busy-reply-threshold", "0"); // Nobody is refused.
        await CallAsync(watcher, "+OK\r\n", "WATCH", "b");
        var run = Run(client, "EVAL", Waiting + "redis.call('set', KEYS[2], 1) return 'end'", "2", "a", "b");
        await UntilHeldAsync(server);

        var read = Run(reader, "GET", "b");
        await CallAsync(watcher, "+OK\r\n", "MULTI");
        await CallAsync(watcher, "+QUEUED\r\n", "SET", "x", "2");
        var exec = Run(watcher, "EXEC");
        await CallAsync(other, "+OK\r\n", "SET", "x", "1");
        await Task.Delay(50, TestContext.Current.CancellationToken);
        Assert.False(read.IsCompleted || exec.IsCompleted);
        server.Store.Set("a"u8, "1"u8);

        Assert.Equal("$3\r\nend\r\n", await run);
        Assert.Equal("$1\r\n1\r\n", await read);
        Assert.Equal("*-1\r\n", await exec); // What it watched was written.
        await CallAsync(other, "$1\r\n1\r\n", "GET", "x");
        await CallAsync(clearer, "+OK\r\n", "FLUSHALL");
    }

    [Fact]
    public async Task LongScript_KeyThatItDoesNotDeclare_MakesItAlone()
    {
        await using var server = await ScriptServer.StartAsync();
        var (client, other) = (server.Connect(), server.Connect());
        var run = Run(
            client, "EVAL",
            Waiting + "redis.call('set', 'u', 0) while redis.call('exists', KEYS[2]) == 0 do "
            + "if redis.call('get', 'u') ~= '0' then return 'seen' end end return 'alone'",
            "2", "a", "b");
        await UntilHeldAsync(server);
        await CallAsync(other, ":1\r\n", "INCR", "u");
        server.Store.Set("a"u8, "1"u8);
        while (server.Store.GetArray("u"u8) is not [(byte)'0'])
            await Task.Delay(1, TestContext.Current.CancellationToken);

        await CallAsync(other, Busy, "INCR", "u");
        await CallAsync(other, Busy, "GET", "x");
        server.Store.Set("b"u8, "1"u8);
        Assert.Equal("$5\r\nalone\r\n", await run);
        await CallAsync(other, ":1\r\n", "INCR", "u");
    }

    [Theory]
    [InlineData("redis.call('select', 1) redis.call('set', KEYS[1], 2)")] // The same name of another database.
    [InlineData("redis.call('copy', KEYS[1], KEYS[2], 'DB', 2)")]
    [InlineData("redis.call('dbsize') redis.call('keys', '*')")]
    [InlineData("redis.call('sort', KEYS[2], 'BY', 'x*')")]
    public async Task LongScript_MoreThanItsKeys_MakesItAlone(string use)
    {
        await using var server = await ScriptServer.StartAsync();
        var (client, other) = (server.Connect(), server.Connect());
        var run = Run(
            client, "EVAL", Waiting + use + " while redis.call('exists', KEYS[3]) == 0 do end return 1", "3", "a", "b",
            "c");
        await UntilHeldAsync(server);
        await CallAsync(other, "+OK\r\n", "SET", "x", "1");
        server.Store.Set("a"u8, "1"u8);

        await UntilRefusedAsync(other);
        server.Store.SelectKeyspace(1).Set("c"u8, "1"u8);
        server.Store.Set("c"u8, "1"u8);
        Assert.Equal(":1\r\n", await run);
    }

    [Fact]
    public async Task LongScript_WaitingClients_AreServedOrPutOff()
    {
        await using var server = await ScriptServer.StartAsync();
        var (client, other) = (server.Connect(), server.Connect());
        var (free, held, mover, group) = (server.Connect(), server.Connect(), server.Connect(), server.Connect());
        await CallAsync(other, "+OK\r\n", "CONFIG", "SET", "busy-reply-threshold", "0");
        var waits = new[]
        {
            Run(free, "BLPOP", "free", "0"), Run(held, "BLPOP", "b", "other", "0"),
            Run(mover, "BLMOVE", "source", "b", "LEFT", "LEFT", "0"), Run(group, "BZPOPMIN", "set", "0"),
        };
        while (!(await ScriptServer.CallAsync(other, "INFO", "clients")).Contains("blocked_clients:4\r\n"))
            await Task.Delay(1, TestContext.Current.CancellationToken);
        var run = Run(
            client, "EVAL", "redis.call('rpush', KEYS[2], 'one') " + Waiting + "return redis.call('llen', KEYS[2])",
            "2", "a", "b");
        await UntilHeldAsync(server);

        await CallAsync(other, ":1\r\n", "RPUSH", "free", "1");
        await CallAsync(other, ":1\r\n", "RPUSH", "source", "2");
        await CallAsync(other, ":1\r\n", "RPUSH", "other", "3");
        await CallAsync(other, ":1\r\n", "ZADD", "set", "4", "m");
        Assert.Equal("*2\r\n$4\r\nfree\r\n$1\r\n1\r\n", await waits[0]);
        Assert.Equal("*3\r\n$3\r\nset\r\n$1\r\nm\r\n$1\r\n4\r\n", await waits[3]);
        await Task.Delay(50, TestContext.Current.CancellationToken);
        Assert.False(waits[1].IsCompleted || waits[2].IsCompleted);
        server.Store.Set("a"u8, "1"u8);

        Assert.Equal(":1\r\n", await run);
        Assert.Contains(await waits[1], new[] { "*2\r\n$1\r\nb\r\n$3\r\none\r\n", "*2\r\n$5\r\nother\r\n$1\r\n3\r\n" });
        Assert.Equal("$1\r\n2\r\n", await waits[2]);
        await CallAsync(other, ":0\r\n", "LLEN", "source");
    }

    [Fact]
    public async Task LongScripts_MoreThanOne_FollowEachOther()
    {
        await using var server = await ScriptServer.StartAsync();
        await CallAsync(server.Connect(), "+OK\r\n", "CONFIG", "SET", "busy-reply-threshold", "0");
        var runs = new List<Task<string>>();
        for (int i = 0; i < 8; i++)
        {
            runs.Add(Run(
                server.Connect(), "EVAL", "for i = 1, 3e6 do end return redis.call('incr', KEYS[1])", "1",
                i % 2 == 0 ? "a" : "b"));
        }

        string[] replies = await Task.WhenAll(runs);
        Array.Sort(replies);
        Assert.Equal([":1\r\n", ":1\r\n", ":2\r\n", ":2\r\n", ":3\r\n", ":3\r\n", ":4\r\n", ":4\r\n"], replies);
    }

    // What is moved between the declared keys of one script, between keys that are found on the way, and by EXEC, is
    // never seen on its way.
    [Fact]
    public async Task LongScripts_BesideOthers_AreAtomic()
    {
        await using var server = await ScriptServer.StartAsync();
        server.State.Databases.HoldAloneMax = TimeSpan.Zero;
        string[] accounts = ["a", "b", "c", "d"];
        var setup = server.Connect();
        foreach (string account in accounts)
            await CallAsync(setup, "+OK\r\n", "SET", account, "100");
        await CallAsync(setup, "+OK\r\n", "CONFIG", "SET", "busy-reply-threshold", "0");
        const string Pause = " for i = 1, 20000 do end ";
        const string Declared =
            "redis.call('decr', KEYS[1])" + Pause + "redis.call('incr', KEYS[2])" + Pause + "return 1";
        const string Found = "redis.call('decr', KEYS[1])" + Pause + "redis.call('incr', ARGV[1])" + Pause + "return 1";
        const string Sum =
            "local s = 0 for _, k in ipairs(KEYS) do s = s + redis.call('get', k)" + Pause + " end return s";
        var end = DateTime.UtcNow.AddSeconds(2);
        var token = TestContext.Current.CancellationToken;
        var tasks = new List<Task>();
        for (int i = 0; i < 3; i++)
        {
            int first = i;
            var client = server.Connect();
            tasks.Add(Task.Run(async () =>
            {
                for (int turn = first; DateTime.UtcNow < end; turn++)
                {
                    string from = accounts[turn % 4], to = accounts[(turn / 4 + first) % 4];
                    if (turn % 2 == 0)
                        await CallAsync(client, ":1\r\n", "EVAL", Declared, "2", from, to);
                    else
                        await CallAsync(client, ":1\r\n", "EVAL", Found, "1", from, to);
                }
            }, token));
            var transfers = server.Connect();
            tasks.Add(Task.Run(async () =>
            {
                for (int turn = first; DateTime.UtcNow < end; turn++)
                {
                    await CallAsync(transfers, "+OK\r\n", "MULTI");
                    await CallAsync(transfers, "+QUEUED\r\n", "DECR", accounts[turn % 4]);
                    await CallAsync(transfers, "+QUEUED\r\n", "INCR", accounts[(turn / 4 + first) % 4]);
                    Assert.StartsWith("*2\r\n:", await ScriptServer.CallAsync(transfers, "EXEC"));
                }
            }, token));
        }

        var observer = server.Connect();
        while (DateTime.UtcNow < end)
        {
            await CallAsync(observer, ":400\r\n", ["EVAL", Sum, "4", .. accounts]);
            string reply = await ScriptServer.CallAsync(observer, ["MGET", .. accounts]);
            Assert.Equal(400, reply.Split("\r\n").Where((_, i) => i > 0 && i % 2 == 0).Sum(int.Parse));
        }

        await Task.WhenAll(tasks);
    }

    private static Task<string> Run(InMemoryClient client, params string[] words) =>
        Task.Run(() => ScriptServer.CallAsync(client, words)); // What it sends may run in the sender.

    private static async Task CallAsync(InMemoryClient client, string reply, params string[] words) =>
        Assert.Equal(reply, await ScriptServer.CallAsync(client, words));

    // A visitor lets itself in, when the script has run for a while.
    private static async Task UntilHeldAsync(ScriptServer server)
    {
        var databases = server.State.Databases;
        var client = server.Connect();
        var start = DateTime.UtcNow;
        while (databases.Held is null)
        {
            await CallAsync(client, "+PONG\r\n", "PING");
            Assert.True(DateTime.UtcNow - start < _patience);
        }
    }

    private static async Task UntilRefusedAsync(InMemoryClient client)
    {
        var start = DateTime.UtcNow;
        while (await ScriptServer.CallAsync(client, "GET", "x") != Busy)
            Assert.True(DateTime.UtcNow - start < _patience);
    }
}
