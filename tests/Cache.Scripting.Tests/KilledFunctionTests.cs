using Cache.Testing;

namespace Cache.Scripting.Tests;

/// <summary>Functions that run too long, as in redis-server 7.0.15: -BUSY, FUNCTION STATS, FUNCTION KILL.</summary>
public sealed class KilledFunctionTests
{
    private const string Busy =
        "-BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN NOSAVE.\r\n";

    private const string BusyWithScript =
        "-BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.\r\n";

    private const string Library =
        "#!lua name=l\n"
        + "redis.register_function('loop', function() while true do pcall(function() while true do end end) end end)\n"
        + "redis.register_function('writes', function(keys) redis.call('set', keys[1], 1)\n"
        + "while not redis.call('get', 'go') do end return 'done' end)";

    [Fact]
    public async Task FunctionKill_EndlessFunction_EndsIt()
    {
        await using var server = await ScriptServer.StartAsync();
        var other = await BeginAsync(server);
        var client = server.Connect();
        var run = Task.Run(() => ScriptServer.CallAsync(client, "FCALL", "LOOP", "2", "a", "b", "c"));
        await WaitUntilAsync(other, Busy);

        string stats = await ScriptServer.CallAsync(other, "FUNCTION", "STATS");
        Assert.StartsWith(
            "*4\r\n$14\r\nrunning_script\r\n*6\r\n$4\r\nname\r\n$4\r\nloop\r\n$7\r\ncommand\r\n*6\r\n$5\r\nFCALL\r\n"
            + "$4\r\nLOOP\r\n$1\r\n2\r\n$1\r\na\r\n$1\r\nb\r\n$1\r\nc\r\n$11\r\nduration_ms\r\n:",
            stats);
        Assert.EndsWith(
            "$7\r\nengines\r\n*2\r\n$3\r\nLUA\r\n*4\r\n$15\r\nlibraries_count\r\n:1\r\n"
            + "$15\r\nfunctions_count\r\n:2\r\n",
            stats);
        Assert.Equal(Busy, await ScriptServer.CallAsync(other, "SCRIPT", "KILL"));
        Assert.Equal(Busy, await ScriptServer.CallAsync(other, "FUNCTION", "LIST"));
        Assert.Equal(Busy, await ScriptServer.CallAsync(other, "FCALL", "loop", "0"));
        Assert.Equal("+OK\r\n", await ScriptServer.CallAsync(other, "MULTI"));
        Assert.Equal(Busy, await ScriptServer.CallAsync(other, "GET", "a"));
        Assert.Equal(
            "-EXECABORT Transaction discarded because of: " + Busy[1..], await ScriptServer.CallAsync(other, "EXEC"));

        Assert.Equal("+OK\r\n", await ScriptServer.CallAsync(other, "FUNCTION", "KILL"));
        Assert.StartsWith(
            "-ERR Script killed by user with SCRIPT KILL...", await run);
        Assert.StartsWith("-NOTBUSY ", await ScriptServer.CallAsync(other, "FUNCTION", "KILL"));
        Assert.Contains("running_script\r\n$-1\r\n", await ScriptServer.CallAsync(other, "FUNCTION", "STATS"));
    }

    [Fact]
    public async Task FunctionKill_Script_LeavesIt()
    {
        await using var server = await ScriptServer.StartAsync();
        var other = await BeginAsync(server);
        var client = server.Connect();
        var run = Task.Run(() => ScriptServer.CallAsync(client, "EVAL", "while true do end", "1", "a"));
        await WaitUntilAsync(other, BusyWithScript);

        Assert.Equal(BusyWithScript, await ScriptServer.CallAsync(other, "FUNCTION", "KILL"));
        Assert.Equal(BusyWithScript, await ScriptServer.CallAsync(other, "FUNCTION", "STATS"));
        Assert.Equal("+OK\r\n", await ScriptServer.CallAsync(other, "SCRIPT", "KILL"));
        Assert.StartsWith("-ERR Script killed by user", await run);
    }

    [Fact]
    public async Task FunctionKill_FunctionThatHasWritten_LeavesIt()
    {
        await using var server = await ScriptServer.StartAsync();
        var other = await BeginAsync(server);
        var client = server.Connect();
        var run = Task.Run(() => ScriptServer.CallAsync(client, "FCALL", "writes", "1", "w"));
        await WaitUntilAsync(other, Busy);

        Assert.StartsWith("-UNKILLABLE ", await ScriptServer.CallAsync(other, "FUNCTION", "KILL"));
        Assert.StartsWith("-UNKILLABLE ", await ScriptServer.CallAsync(other, "SCRIPT", "KILL"));
        server.Store.Set("go"u8, "1"u8); // Callers in process are served.
        Assert.Equal("$4\r\ndone\r\n", await run);
    }

    private static async Task<InMemoryClient> BeginAsync(ScriptServer server)
    {
        var client = server.Connect();
        await ScriptServer.CallAsync(client, "CONFIG", "SET", "busy-reply-threshold", "20");
        Assert.Equal("$1\r\nl\r\n", await ScriptServer.CallAsync(client, "FUNCTION", "LOAD", Library));
        return client;
    }

    private static async Task WaitUntilAsync(InMemoryClient client, string reply)
    {
        while (await ScriptServer.CallAsync(client, "GET", "a") != reply)
            await Task.Delay(1);
    }
}
