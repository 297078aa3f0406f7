using Cache.Core;
using Cache.Testing;

namespace Cache.Scripting.Tests;

/// <summary>Simple scripts run with their keys locked: nobody sees a part of what they do.</summary>
public sealed class SimpleScriptTests
{
    // Of a script that has to be alone, before one that need not.
    private const string Loop = "for _ = 1, 1 do end ";

    // One after the other, with the keys a to e: a a text, b a number, c a list, d a hash; e is not there.
    private static readonly string[] _scripts =
    [
        "return redis.call('get', KEYS[1])",
        "redis.call('set', KEYS[5], ARGV[1]) return redis.call('get', KEYS[5])",
        "return {redis.call('incr', KEYS[2]), redis.call('incrby', KEYS[2], ARGV[2])}",
        "return redis.call('incr', KEYS[1])",
        "return redis.pcall('incr', KEYS[1])",
        "redis.call('rpush', KEYS[3], ARGV[1], 2, 3) return redis.call('lrange', KEYS[3], 0, -1)",
        "redis.call('rename', KEYS[3], KEYS[5]) return {redis.call('exists', KEYS[3]), redis.call('llen', KEYS[5])}",
        "redis.call('hset', KEYS[4], 'f', 1, 'g', ARGV[1]) return redis.call('hgetall', KEYS[4])",
        "return redis.call('mset', KEYS[1], 1, KEYS[2], 2, KEYS[3], 3)",
        "return redis.call('mget', KEYS[1], KEYS[2], KEYS[3], KEYS[5])",
        "return redis.call('del', KEYS[1], KEYS[2], KEYS[3])",
        "return redis.call('sinterstore', KEYS[5], KEYS[4], KEYS[1])",
        "return redis.call('get', KEYS[6])",
        "local k = KEYS[1] return redis.call('get', k)",
        "return redis.call('set', KEYS[1], nil)",
        "local v = redis.call('get', KEYS[1]) if v then return v .. ARGV[1] end return redis.status_reply('none')",
        "error('here')",
        "redis.call('set', KEYS[1], 'x') error({err = 'AFTER it'})",
        "return {KEYS[1], ARGV[1], ARGV[3], #KEYS, #ARGV}",
        "redis.call('zadd', KEYS[5], 1, 'a') return redis.call('zadd', KEYS[5], 2, 'b')",
        "redis.call('del', KEYS[5]) redis.call('zadd', KEYS[5], 1, 'a') return redis.call('zrange', KEYS[5], 0, -1)",
        "return redis.call('expire', KEYS[5], 100) + redis.call('persist', KEYS[5])",
        "return redis.call('xadd', KEYS[3], '1-1', 'f', ARGV[1])",
        "return redis.call('xlen', KEYS[3])",
        "return redis.call('flushall')",
        "return redis.call('nothing', KEYS[1])",
        "return redis.call('get')",
        "return redis.call('publish', 'channel', ARGV[1])",
    ];

    [Fact]
    public async Task EvalSha_SimpleScripts_RepliesAsWhenAlone()
    {
        await using var one = await ScriptServer.StartAsync();
        await using var other = await ScriptServer.StartAsync();
        var locked = one.Connect();
        var alone = other.Connect();
        foreach (var client in (InMemoryClient[])[locked, alone])
            await ScriptServer.CallAsync(client, "MSET", "a", "text", "b", "7");
        foreach (string script in _scripts)
        {
            string digest = (await ScriptServer.CallAsync(locked, "SCRIPT", "LOAD", script))[5..45];
            string expected = await ScriptServer.CallAsync(
                alone, "EVAL", Loop + script, "5", "a", "b", "c", "d", "e", "first", "2");
            string actual = await ScriptServer.CallAsync(
                locked, "EVALSHA", digest, "5", "a", "b", "c", "d", "e", "first", "2");
            Assert.Equal(WithoutDigest(expected), WithoutDigest(actual));
            Assert.Equal(
                await ScriptServer.CallAsync(alone, "SORT_RO", "e"),
                await ScriptServer.CallAsync(locked, "SORT_RO", "e"));
        }
    }

    [Fact]
    public async Task EvalSha_SimpleScript_IsAtomicForCallersInProcess()
    {
        await using var server = await ScriptServer.StartAsync();
        var client = server.Connect();
        const string Script = "redis.call('incr', KEYS[1]) return redis.call('incr', KEYS[2])";
        string digest = (await ScriptServer.CallAsync(client, "SCRIPT", "LOAD", Script))[5..45];
        using var end = new CancellationTokenSource();
        var torn = Task.Run(() =>
        {
            int count = 0;
            while (!end.IsCancellationRequested)
            {
                var pair = default(Pair);
                server.Store.Transact(ref pair);
                count += pair.AreEqual ? 0 : 1;
            }

            return count;
        });

        for (int i = 0; i < 5000; i++)
            await ScriptServer.CallAsync(client, "EVALSHA", digest, "2", "a", "b");
        await end.CancelAsync();

        Assert.Equal(0, await torn);
        Assert.Equal("$4\r\n5000\r\n", await ScriptServer.CallAsync(client, "GET", "b"));
    }

    [Fact]
    public async Task EvalSha_ManyClients_NoneSeesPart()
    {
        const int Clients = 4, Calls = 500;
        await using var server = await ScriptServer.StartAsync();
        const string Script = "local a = tonumber(redis.call('get', KEYS[1]) or 0) "
            + "local b = tonumber(redis.call('get', KEYS[2]) or 0) "
            + "if a ~= b then return redis.error_reply('ERR torn') end redis.call('set', KEYS[1], a + 1) "
            + "return redis.call('set', KEYS[2], b + 1)";
        string digest = (await ScriptServer.CallAsync(server.Connect(), "SCRIPT", "LOAD", Script))[5..45];

        var replies = await Task.WhenAll(Enumerable.Range(0, Clients).Select(i => Task.Run(async () =>
        {
            var client = server.Connect();
            int done = 0;
            string[] keys = i % 2 == 0 ? ["a", "b"] : ["b", "a"];
            for (int call = 0; call < Calls; call++)
                done += await ScriptServer.CallAsync(client, ["EVALSHA", digest, "2", .. keys]) == "+OK\r\n" ? 1 : 0;
            return done;
        })));

        Assert.Equal(Clients * Calls, replies.Sum());
        Assert.Equal("$4\r\n2000\r\n", await ScriptServer.CallAsync(server.Connect(), "GET", "a"));
    }

    [Fact]
    public async Task EvalSha_WaitingClient_IsServedAfterIt()
    {
        await using var server = await ScriptServer.StartAsync();
        var client = server.Connect();
        var waiting = server.Connect();
        const string Script = "redis.call('rpush', KEYS[1], 'x') return redis.call('rpush', KEYS[1], 'y')";
        string digest = (await ScriptServer.CallAsync(client, "SCRIPT", "LOAD", Script))[5..45];
        ScriptServer.Send(waiting, "BLPOP", "list", "0");

        Assert.Equal(":2\r\n", await ScriptServer.CallAsync(client, "EVALSHA", digest, "1", "list"));
        Assert.Equal("*2\r\n$4\r\nlist\r\n$1\r\nx\r\n", await ScriptServer.ReceiveAsync(waiting));
    }

    [Fact]
    public async Task EvalSha_LongValues_AreRead()
    {
        await using var server = await ScriptServer.StartAsync();
        var client = server.Connect();
        string value = new('v', 3 << 20);
        await ScriptServer.CallAsync(client, "SET", "a", value);
        const string Script =
            "redis.call('set', KEYS[2], redis.call('get', KEYS[1])) return redis.call('get', KEYS[2])";
        string digest = (await ScriptServer.CallAsync(client, "SCRIPT", "LOAD", Script))[5..45];

        for (int i = 0; i < 3; i++)
        {
            string reply = await ScriptServer.CallAsync(client, "EVALSHA", digest, "2", "a", "b");
            Assert.True(reply == $"${value.Length}\r\n{value}\r\n", reply[..Math.Min(reply.Length, 100)]);
        }
    }

    [Fact]
    public async Task EvalSha_FullStore_MakesRoom()
    {
        await using var server = await ScriptServer.StartAsync(memoryLimitBytes: 2 << 20);
        var client = server.Connect();
        const string Script = "redis.call('set', KEYS[1], ARGV[1]) return redis.call('append', KEYS[1], ARGV[1])";
        string digest = (await ScriptServer.CallAsync(client, "SCRIPT", "LOAD", Script))[5..45];
        string value = new('v', 50_000);
        for (int i = 0; i < 500; i++)
        {
            Assert.Equal(
                ":100000\r\n", await ScriptServer.CallAsync(client, "EVALSHA", digest, "1", $"key:{i}", value));
        }
    }

    [Fact]
    public async Task EvalSha_TableThatHoldsOthersAgainAndAgain_IsRefused()
    {
        await using var server = await ScriptServer.StartAsync();
        var client = server.Connect();
        var script = new System.Text.StringBuilder("local a = {ARGV[1]} ");
        for (char c = 'a'; c < 'z'; c++)
            script.Append($"local {(char)(c + 1)} = {{{c}, {c}}} ");
        script.Append("return z");
        string digest = (await ScriptServer.CallAsync(client, "SCRIPT", "LOAD", script.ToString()))[5..45];

        Assert.StartsWith(
            "-ERR reached lua stack limit", await ScriptServer.CallAsync(client, "EVALSHA", digest, "0", "x"));
    }

    [Fact]
    public async Task EvalSha_FewerWordsThanBefore_HasNoOthers()
    {
        await using var server = await ScriptServer.StartAsync();
        var client = server.Connect();
        const string Script = "return {#KEYS, #ARGV, ARGV[1] or 'none', ARGV[2] or 'none', KEYS[1] or 'none'}";
        string digest = (await ScriptServer.CallAsync(client, "SCRIPT", "LOAD", Script))[5..45];

        await ScriptServer.CallAsync(client, "EVALSHA", digest, "2", "a", "b", "c", "d", "e");

        Assert.Equal(
            "*5\r\n:0\r\n:1\r\n$1\r\nx\r\n$4\r\nnone\r\n$4\r\nnone\r\n",
            await ScriptServer.CallAsync(client, "EVALSHA", digest, "0", "x"));
    }

    [Fact]
    public async Task EvalSha_FlushedScript_IsUnknown()
    {
        await using var server = await ScriptServer.StartAsync();
        var client = server.Connect();
        string digest = (await ScriptServer.CallAsync(client, "SCRIPT", "LOAD", "return 1"))[5..45];
        Assert.Equal(":1\r\n", await ScriptServer.CallAsync(client, "EVALSHA", digest, "0"));

        await ScriptServer.CallAsync(client, "SCRIPT", "FLUSH");

        Assert.StartsWith("-NOSCRIPT ", await ScriptServer.CallAsync(client, "EVALSHA", digest, "0"));
    }

    private static string WithoutDigest(string reply) =>
        System.Text.RegularExpressions.Regex.Replace(reply, "[0-9a-f]{40}", "digest");
}
