using System.Text.RegularExpressions;
using Cache.Testing;

namespace Cache.Scripting.Tests;

/// <summary>Events of keys and messages come in the order of redis-server 7.0.15, also from within EXEC.</summary>
public sealed partial class PublishedEventTests
{
    private const string Script =
        "redis.call('set', KEYS[1], 1) redis.call('publish', 'c', 'm') return redis.call('expire', KEYS[1], 100)";

    /// <summary>Known scripts are simple ones, which run on the loop.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Publish_InScript_ComesBehindTheEventsBefore(bool isKnown)
    {
        await using var server = await ScriptServer.StartAsync();
        var (client, listener) = await ListenAsync(server);
        if (isKnown)
            await ScriptServer.CallAsync(client, "SCRIPT", "LOAD", Script);

        await ScriptServer.CallAsync(client, "EVAL", Script, "1", "k");

        await ExpectAsync(listener);
    }

    [Theory]
    [InlineData("PUBLISH")]
    [InlineData("EVAL")]
    public async Task Publish_InTransaction_ComesBehindTheEventsBefore(string way)
    {
        await using var server = await ScriptServer.StartAsync();
        var (client, listener) = await ListenAsync(server);

        await ScriptServer.CallAsync(client, "MULTI");
        await ScriptServer.CallAsync(client, "SET", "k", "1");
        await ScriptServer.CallAsync(
            client, way == "EVAL" ? ["EVAL", "redis.call('publish', 'c', 'm')", "0"] : ["PUBLISH", "c", "m"]);
        await ScriptServer.CallAsync(client, "EXPIRE", "k", "100");
        await ScriptServer.CallAsync(client, "EXEC");

        await ExpectAsync(listener);
    }

    private static async Task<(InMemoryClient Client, InMemoryClient Listener)> ListenAsync(ScriptServer server)
    {
        var (client, listener) = (server.Connect(), server.Connect());
        await ScriptServer.CallAsync(client, "CONFIG", "SET", "notify-keyspace-events", "EA");
        await ScriptServer.CallAsync(listener, "PSUBSCRIBE", "*");
        return (client, listener);
    }

    private static async Task ExpectAsync(InMemoryClient listener)
    {
        var channels = new List<string>();
        while (channels.Count < 3)
            channels.Add(Channel().Match(await ScriptServer.ReceiveAsync(listener)).Groups[1].Value);
        Assert.Equal(["__keyevent@0__:set", "c", "__keyevent@0__:expire"], channels);
    }

    [GeneratedRegex(@"^\*4\r\n\$8\r\npmessage\r\n\$1\r\n\*\r\n\$\d+\r\n(.*)\r\n\$1\r\n.\r\n$")]
    private static partial Regex Channel();
}
