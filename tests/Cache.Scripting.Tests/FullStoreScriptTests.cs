using Cache.Testing;

namespace Cache.Scripting.Tests;

/// <summary>Scripts in a store that is full, which evicts nothing, as in redis-server 7.0.15.</summary>
public sealed class FullStoreScriptTests
{
    private const string Full = "-OOM command not allowed when used memory > 'maxmemory'.\r\n";

    private const string Library = """
        #!lua name=lib
        redis.register_function('grows', function() return 1 end)
        redis.register_function{function_name='allows', callback=function() return 1 end, flags={'allow-oom'}}
        redis.register_function{function_name='reads', callback=function() return 1 end, flags={'no-writes'}}
        """;

    [Fact]
    public async Task Script_ThatSaysNothingAgainstIt_IsRefused()
    {
        await using var server = await ScriptServer.StartAsync(memoryLimitBytes: 8 << 20);
        var client = server.Connect();
        await FillAsync(client);

        foreach (string command in (string[])["EVAL", "EVAL_RO"])
            Assert.Equal(Full, await ScriptServer.CallAsync(client, command, "#!lua\nreturn 1", "0"));
        Assert.Equal(Full, await ScriptServer.CallAsync(client, "FCALL", "grows", "0"));
        Assert.Equal(":1\r\n", await ScriptServer.CallAsync(client, "FCALL", "allows", "0"));
        Assert.Equal(":1\r\n", await ScriptServer.CallAsync(client, "FCALL", "reads", "0"));
        foreach (string first in (string[])["", "#!lua flags=allow-oom\n", "#!lua flags=no-writes\n"])
            Assert.Equal(":1\r\n", await ScriptServer.CallAsync(client, "EVAL", first + "return 1", "0"));
    }

    [Fact]
    public async Task Script_ThatIsKnown_IsRefused()
    {
        await using var server = await ScriptServer.StartAsync(memoryLimitBytes: 8 << 20);
        var client = server.Connect();
        string digest = (await ScriptServer.CallAsync(client, "SCRIPT", "LOAD", "#!lua\nreturn 1"))[5..45];
        Assert.Equal(":1\r\n", await ScriptServer.CallAsync(client, "EVALSHA", digest, "0"));
        await FillAsync(client);

        Assert.Equal(Full, await ScriptServer.CallAsync(client, "EVALSHA", digest, "0"));
        await ScriptServer.CallAsync(client, "FLUSHALL");
        Assert.Equal(":1\r\n", await ScriptServer.CallAsync(client, "EVALSHA", digest, "0"));
    }

    private static async Task FillAsync(InMemoryClient client)
    {
        await ScriptServer.CallAsync(client, "FUNCTION", "LOAD", Library);
        await ScriptServer.CallAsync(client, "CONFIG", "SET", "maxmemory-policy", "noeviction");
        int count = 0;
        for (int length = 100_000; length >= 1; length /= 4)
        {
            while (await ScriptServer.CallAsync(client, "SET", $"k{count}", new string('v', length)) == "+OK\r\n")
                count++;
        }
    }
}
