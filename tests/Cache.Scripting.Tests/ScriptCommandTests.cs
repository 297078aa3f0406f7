using Cache.Testing;

namespace Cache.Scripting.Tests;

/// <summary>What scripts do in the server: rights, transactions, atomicity, the cache of scripts, figures.</summary>
public sealed class ScriptCommandTests
{
    [Fact]
    public async Task Eval_User_HasRightsOfUserAlone()
    {
        await using var server = await ScriptServer.StartAsync();
        var client = server.Connect();
        await ScriptServer.CallAsync(client, "ACL", "SETUSER", "u", "on", "nopass", "~a*", "+get", "+eval");
        await ScriptServer.CallAsync(client, "AUTH", "u", "x");

        Assert.Equal("$-1\r\n", await ScriptServer.CallAsync(client, "EVAL", "return redis.call('get', 'a')", "0"));
        Assert.StartsWith(
            "-ERR The user executing the script can't run this command or subcommand script: ",
            await ScriptServer.CallAsync(client, "EVAL", "return redis.call('set', 'a', 1)", "0"));
        Assert.StartsWith(
            "-ERR The user executing the script can't access at least one of the keys mentioned in the command arg",
            await ScriptServer.CallAsync(client, "EVAL", "return redis.call('get', 'b')", "0"));
        Assert.Equal(
            "*2\r\n:1\r\n$-1\r\n",
            await ScriptServer.CallAsync(
                client, "EVAL", "return {redis.acl_check_cmd('get', 'a'), redis.acl_check_cmd('set', 'a', 1)}", "0"));
    }

    [Fact]
    public async Task Exec_Scripts_RunAmongOthers()
    {
        await using var server = await ScriptServer.StartAsync();
        var client = server.Connect();
        await ScriptServer.CallAsync(client, "MULTI");
        await ScriptServer.CallAsync(client, "SET", "a", "1");
        await ScriptServer.CallAsync(client, "EVAL", "return redis.call('incrby', KEYS[1], ARGV[1])", "1", "a", "4");
        await ScriptServer.CallAsync(client, "EVALSHA", new string('f', 40), "0");
        await ScriptServer.CallAsync(client, "GET", "a");

        Assert.Equal(
            "*4\r\n+OK\r\n:5\r\n-NOSCRIPT No matching script. Please use EVAL.\r\n$1\r\n5\r\n",
            await ScriptServer.CallAsync(client, "EXEC"));
    }

    [Theory]
    [InlineData("return 'x' + 1", "string")]
    [InlineData("return 1 - 'x'", "string")]
    [InlineData("return -KEYS[1]", "string")]
    [InlineData("return '5' * nil", "nil")]
    [InlineData("return {} / '5'", "table")]
    public async Task Eval_ArithmeticOfWhatIsNoNumber_HasErrorOfOldLua(string script, string kind)
    {
        await using var server = await ScriptServer.StartAsync();

        Assert.StartsWith(
            $"-ERR user_script:1: attempt to perform arithmetic on a {kind} value script: ",
            await ScriptServer.CallAsync(server.Connect(), "EVAL", script, "1", "k"));
    }

    [Theory] // Texts as numbers: floats, also in arithmetic, and with the names that have no digits. As Redis replies.
    [InlineData("ARGV[1] * ARGV[1]", "4000000000", "1.6e+19")]
    [InlineData("ARGV[1] + '1'", "9223372036854775807", "9.2233720368548e+18")]
    [InlineData("(ARGV[1] % '0') ~= (ARGV[1] % '0')", "7", "true")]
    [InlineData("tonumber(ARGV[1])", "-inf", "-inf")]
    [InlineData("tonumber(ARGV[1]) == math.huge", "+Infinity", "true")]
    [InlineData("tonumber(ARGV[1])", "infx", "nil")]
    [InlineData("ARGV[1] - 1", "inf", "inf")]
    [InlineData("math.max(ARGV[1], '5')", "inf", "inf")]
    [InlineData("-ARGV[1]", " 7 ", "-7")]
    [InlineData("tonumber(ARGV[1], 16)", "9007199254740993", "1.0378291982571e+19")]
    [InlineData("tonumber(ARGV[1], 16)", "0xfF", "255")]
    [InlineData("tonumber(ARGV[1], 16)", "-3", "1.844674407371e+19")]
    [InlineData("tonumber(ARGV[1], 2) % 0 ~= 0", "11", "true")]
    [InlineData("pcall(math.max, ARGV[1], 'y')", "x", "false")]
    [InlineData("ARGV[1] + setmetatable({}, {__add = function(a) return a .. '!' end})", "x", "x!")]
    public async Task Eval_TextAsNumber_IsAsInOldLua(string expression, string argument, string value)
    {
        await using var server = await ScriptServer.StartAsync();

        Assert.Equal(
            $"${value.Length}\r\n{value}\r\n",
            await ScriptServer.CallAsync(
                server.Connect(), "EVAL", $"return tostring(({expression}))", "0", argument));
    }

    [Fact]
    public async Task Eval_Select_LastsAsLongAsScript()
    {
        await using var server = await ScriptServer.StartAsync();
        var client = server.Connect();

        Assert.Equal("+OK\r\n", await ScriptServer.CallAsync(
            client, "EVAL", "redis.call('select', 3) return redis.call('set', 'a', 3)", "0"));

        Assert.Equal("$-1\r\n", await ScriptServer.CallAsync(client, "GET", "a"));
        await ScriptServer.CallAsync(client, "SELECT", "3");
        Assert.Equal("$1\r\n3\r\n", await ScriptServer.CallAsync(client, "GET", "a"));
    }

    [Fact]
    public async Task Eval_ManyClients_NoneSeesPart()
    {
        const int Clients = 4, Calls = 200;
        await using var server = await ScriptServer.StartAsync();
        await ScriptServer.CallAsync(server.Connect(), "CONFIG", "SET", "busy-reply-threshold", "0");
        const string Script = "local a = tonumber(redis.call('get', 'a') or 0) "
            + "local b = tonumber(redis.call('get', 'b') or 0) "
            + "if a ~= b then return redis.error_reply('ERR torn') end redis.call('set', 'a', a + 1) "
            + "return redis.call('set', 'b', b + 1)";

        var replies = await Task.WhenAll(Enumerable.Range(0, Clients).Select(_ => Task.Run(async () =>
        {
            var client = server.Connect();
            int done = 0;
            for (int i = 0; i < Calls; i++)
                done += await ScriptServer.CallAsync(client, "EVAL", Script, "2", "a", "b") == "+OK\r\n" ? 1 : 0;
            return done;
        })));

        Assert.Equal(Clients * Calls, replies.Sum());
        Assert.Equal("$3\r\n800\r\n", await ScriptServer.CallAsync(server.Connect(), "GET", "a"));
    }

    [Fact]
    public async Task Info_Scripts_AreCounted()
    {
        await using var server = await ScriptServer.StartAsync();
        var client = server.Connect();
        string sha = (await ScriptServer.CallAsync(client, "SCRIPT", "LOAD", "return ARGV[1]"))[5..45];
        for (int i = 0; i < 600; i++)
            await ScriptServer.CallAsync(client, "EVAL", $"return {i}", "0");

        // Those of EVAL alone make room for each other.
        Assert.Contains("\nnumber_of_cached_scripts:501\r\n", await ScriptServer.CallAsync(client, "INFO", "memory"));
        Assert.Equal("$1\r\nx\r\n", await ScriptServer.CallAsync(client, "EVALSHA", sha, "0", "x"));
        Assert.Equal("+OK\r\n", await ScriptServer.CallAsync(client, "SCRIPT", "FLUSH"));
        Assert.Equal("*1\r\n:0\r\n", await ScriptServer.CallAsync(client, "SCRIPT", "EXISTS", sha));
        Assert.Contains("\nnumber_of_cached_scripts:0\r\n", await ScriptServer.CallAsync(client, "INFO", "memory"));
    }

    [Fact]
    public async Task Eval_WaitingClient_IsServedByScript()
    {
        await using var server = await ScriptServer.StartAsync();
        var waiting = server.Connect();
        ScriptServer.Send(waiting, "BLPOP", "list", "0");

        await server.EvalAsync("return redis.call('rpush', 'list', 'x')");

        Assert.Equal("*2\r\n$4\r\nlist\r\n$1\r\nx\r\n", await ScriptServer.ReceiveAsync(waiting));
    }

    [Fact]
    public async Task Eval_WithoutPackage_SaysSo()
    {
        using var store = new Cache.Core.CacheStore(new Cache.Core.CacheOptions { MemoryLimitBytes = 16 << 20 });
        await using var server = await InMemoryServer.StartAsync(store);

        string reply = await ScriptServer.CallAsync(server.Connect(), "EVAL", "return 1", "0");

        Assert.StartsWith("-ERR this server runs no scripts", reply);
        Assert.Contains("Cache.Scripting", reply);
    }
}
