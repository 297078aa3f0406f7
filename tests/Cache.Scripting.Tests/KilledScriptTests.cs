using Cache.Testing;

namespace Cache.Scripting.Tests;

/// <summary>Scripts that run too long: -BUSY, and SCRIPT KILL.</summary>
public sealed class KilledScriptTests
{
    private const string Busy =
        "-BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.\r\n";

    [Fact]
    public async Task ScriptKill_EndlessScripts_EndEach()
    {
        await using var server = await ScriptServer.StartAsync();
        var other = server.Connect();
        await ScriptServer.CallAsync(other, "CONFIG", "SET", "busy-reply-threshold", "20");
        foreach (string script in Resource.Lines("loops"))
        {
            var client = server.Connect();
            // It runs in the sender.
            var run = Task.Run(() => ScriptServer.CallAsync(client, "EVAL", script, "1", "a"));
            await WaitUntilBusyAsync(other, run);

            Assert.Equal("+OK\r\n", await ScriptServer.CallAsync(other, "SCRIPT", "KILL"));
            string reply = await run;
            Assert.StartsWith("-ERR Script killed by user with SCRIPT KILL...", reply);
            Assert.Equal("$-1\r\n", await ScriptServer.CallAsync(other, "GET", "a"));
        }

        Assert.StartsWith("-NOTBUSY ", await ScriptServer.CallAsync(other, "SCRIPT", "KILL"));
    }

    [Fact]
    public async Task Commands_DuringLongScript_AreRefusedUntilItEnds()
    {
        await using var server = await ScriptServer.StartAsync();
        var other = server.Connect();
        await ScriptServer.CallAsync(other, "CONFIG", "SET", "lua-time-limit", "20");
        var client = server.Connect();
        const string Script = "redis.call('set', 'done', 0) while true do if redis.call('get', 'go') then "
            + "return redis.call('set', 'done', 1) end end";
        var run = Task.Run(() => ScriptServer.CallAsync(client, "EVAL", Script, "0"));
        await WaitUntilBusyAsync(other, run);

        Assert.Equal(Busy, await ScriptServer.CallAsync(other, "SET", "go", "1"));
        Assert.Equal(Busy, await ScriptServer.CallAsync(other, "EVAL", "return 1", "0"));
        Assert.Equal("+OK\r\n", await ScriptServer.CallAsync(other, "MULTI"));
        Assert.Equal(Busy, await ScriptServer.CallAsync(other, "SET", "go", "1"));
        Assert.StartsWith("-EXECABORT ", await ScriptServer.CallAsync(other, "EXEC"));
        Assert.StartsWith("-UNKILLABLE ", await ScriptServer.CallAsync(other, "SCRIPT", "KILL"));

        server.Store.Set("go"u8, "1"u8); // Callers in process are served.
        Assert.Equal("+OK\r\n", await run);
        Assert.Equal("$1\r\n1\r\n", await ScriptServer.CallAsync(other, "GET", "done"));
    }

    private static async Task WaitUntilBusyAsync(InMemoryClient client, Task<string> run)
    {
        while (await ScriptServer.CallAsync(client, "GET", "a") != Busy)
        {
            if (run.IsCompleted)
                Assert.Fail($"The script has ended before it was killed: {await run}");
            await Task.Delay(1);
        }
    }
}
