namespace Cache.Scripting.Tests;

/// <summary>CLIENT PAUSE WRITE and scripts, as redis-server 7.0.15 does it.</summary>
public sealed class PausedScriptTests
{
    private const string Library = """
        #!lua name=lib
        redis.register_function{function_name='reads', callback=function() return 1 end, flags={'no-writes'}}
        redis.register_function('writes', function() return 1 end)
        """;

    private const string MayWrite = "-ERR Can not execute a script with write flag using *_ro command.\r\n";

    // The names stand for scripts: see Words.
    [Theory]
    [InlineData("EVAL reads 0", false)]
    [InlineData("EVAL writes 0", true)]
    [InlineData("EVAL plain 0", true)]
    [InlineData("EVAL_RO reads 0", false)]
    [InlineData("EVAL_RO plain 0", false)]
    [InlineData("EVAL_RO writes 0", true, MayWrite)]
    [InlineData("EVALSHA reads 0", false)]
    [InlineData("EVALSHA writes 0", true)]
    [InlineData("EVALSHA plain 0", true)]
    [InlineData("EVALSHA_RO reads 0", false)]
    [InlineData("EVALSHA_RO writes 0", true, MayWrite)]
    [InlineData("FCALL reads 0", false)]
    [InlineData("FCALL writes 0", true)]
    [InlineData("FCALL none 0", true, "-ERR Function not found\r\n")]
    [InlineData("FCALL_RO reads 0", false)]
    [InlineData("FCALL_RO writes 0", true, MayWrite)]
    [InlineData("FCALL_RO none 0", false, "-ERR Function not found\r\n")]
    public async Task PauseOfWrites_Script_WaitsIfItMayWrite(string line, bool waits, string reply = ":1\r\n")
    {
        await using var server = await ScriptServer.StartAsync();
        var client = server.Connect();
        string[] words = await WordsAsync(server, line);
        await ScriptServer.CallAsync(server.Connect(), "FUNCTION", "LOAD", Library);
        await ScriptServer.CallAsync(server.Connect(), "CLIENT", "PAUSE", "1000000", "WRITE");

        var sent = Task.Run(() => ScriptServer.CallAsync(client, words));

        if (waits)
        {
            await ScriptServer.WaitForAsync(server, "CLIENT", "LIST", " flags=b ");
            Assert.False(sent.IsCompleted);
            await ScriptServer.CallAsync(server.Connect(), "CLIENT", "UNPAUSE");
        }

        Assert.Equal(reply, await sent);
    }

    [Theory]
    [InlineData("EVAL reads 0", false)]
    [InlineData("EVAL writes 0", true)]
    [InlineData("EVAL plain 0", true)]
    [InlineData("FCALL reads 0", false)]
    [InlineData("FCALL writes 0", true)]
    [InlineData("PFCOUNT k", true)]
    public async Task PauseOfWrites_Exec_WaitsIfAScriptMayWrite(string line, bool waits)
    {
        await using var server = await ScriptServer.StartAsync();
        var client = server.Connect();
        await ScriptServer.CallAsync(client, "FUNCTION", "LOAD", Library);
        await ScriptServer.CallAsync(client, "MULTI");
        await ScriptServer.CallAsync(client, await WordsAsync(server, line));
        await ScriptServer.CallAsync(server.Connect(), "CLIENT", "PAUSE", "1000000", "WRITE");

        var sent = Task.Run(() => ScriptServer.CallAsync(client, "EXEC"));

        if (waits)
        {
            await ScriptServer.WaitForAsync(server, "CLIENT", "LIST", " flags=xb ");
            Assert.False(sent.IsCompleted);
            await ScriptServer.CallAsync(server.Connect(), "CLIENT", "UNPAUSE");
        }

        Assert.StartsWith("*1\r\n:", await sent);
    }

    private static async Task<string[]> WordsAsync(ScriptServer server, string line)
    {
        string[] words = line.Split(' ');
        if (!words[0].StartsWith("EVAL", StringComparison.Ordinal))
            return words;
        words[1] = words[1] switch
        {
            "reads" => "#!lua flags=no-writes\nreturn 1",
            "writes" => "#!lua\nreturn 1",
            _ => "return 1",
        };
        if (words[0].StartsWith("EVALSHA", StringComparison.Ordinal))
            words[1] = (await ScriptServer.CallAsync(server.Connect(), "SCRIPT", "LOAD", words[1]))[5..45];
        return words;
    }
}
