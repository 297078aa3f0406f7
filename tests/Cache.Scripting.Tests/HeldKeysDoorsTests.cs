using Cache.Testing;

namespace Cache.Scripting.Tests;

/// <summary>While a script holds its keys: no door shows what is half done.</summary>
public sealed class HeldKeysDoorsTests
{
    private const string Busy =
        "-BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.\r\n";

    // Reads its keys until the first one is there.
    private const string Waiting = "while redis.call('exists', KEYS[1]) == 0 do end ";

    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(20);

    [Fact]
    public async Task LongScript_NumberOfKeys_IsNotSeenOnItsWay()
    {
        await using var server = await ScriptServer.StartAsync();
        var (client, other) = (server.Connect(), server.Connect());
        await CallAsync(other, "+OK\r\n", "CONFIG", "SET", "busy-reply-threshold", "0");
        var run = Run(
            client, "EVAL",
            "redis.call('set', KEYS[2], 1) " + Waiting + "redis.call('del', KEYS[1], KEYS[2]) return 1", "2", "a", "b");
        await UntilHeldAsync(server);

        var size = Run(other, "DBSIZE");
        await Task.Delay(50, TestContext.Current.CancellationToken);
        server.Store.Set("a"u8, "1"u8);
        Assert.Equal(":1\r\n", await run);
        Assert.Equal(":0\r\n", await size);
    }

    [Fact]
    public async Task EndlessScript_ThresholdOfYears_PutsOff()
    {
        await using var server = await ScriptServer.StartAsync();
        var (client, other) = (server.Connect(), server.Connect());
        await CallAsync(other, "+OK\r\n", "CONFIG", "SET", "busy-reply-threshold", "900000000000");
        var run = Run(client, "EVAL", Waiting + "return 1", "1", "a");
        await UntilHeldAsync(server);
        var read = Run(other, "GET", "a");
        await Task.Delay(50, TestContext.Current.CancellationToken);
        Assert.False(read.IsCompleted);
        server.Store.Set("a"u8, "1"u8);
        Assert.Equal(":1\r\n", await run);
        Assert.Equal("$1\r\n1\r\n", await read);
    }

    // It is simple, but of so large a value it has to be alone.
    [Fact]
    public async Task EndlessScript_SimpleScriptOfMuch_IsRefused()
    {
        const string Simple = "return redis.call('get', KEYS[1])";
        await using var server = await ScriptServer.StartAsync();
        var (client, other) = (server.Connect(), server.Connect());
        await CallAsync(other, "+OK\r\n", "SET", "x", "1");
        await CallAsync(other, "$1\r\n1\r\n", "EVAL", Simple, "1", "x");
        await CallAsync(other, "+OK\r\n", "SET", "x", new string('v', 2_000_000));
        var run = Run(client, "EVAL", "while true do redis.call('get', KEYS[2]) end", "2", "a", "b");
        await UntilHeldAsync(server);
        await CallAsync(other, Busy, "EVAL", Simple, "1", "x");
        await CallAsync(other, "+OK\r\n", "SCRIPT", "KILL");
        Assert.StartsWith("-ERR Script killed by user", await run);
    }

    [Fact]
    public async Task EndlessScript_LongKey_IsHeld()
    {
        await using var server = await ScriptServer.StartAsync();
        var (client, other) = (server.Connect(), server.Connect());
        string key = new('k', 40_000);
        await CallAsync(other, "+OK\r\n", "SET", key, "1");
        var run = Run(client, "EVAL", "while true do redis.call('get', KEYS[1]) end", "1", key);
        await UntilHeldAsync(server);
        await CallAsync(other, Busy, "GET", key);
        await CallAsync(other, Busy, "SET", key, new string('v', 300_000));
        await CallAsync(other, Busy, "APPEND", key, "2");
        await CallAsync(other, "+OK\r\n", "SCRIPT", "KILL");
        Assert.StartsWith("-ERR Script killed by user", await run);
    }

    [Theory]
    [InlineData("SORT", "x", "STORE", "b")]
    [InlineData("SORT", "x", "GET", "b")]
    [InlineData("GEORADIUS", "x", "0", "0", "1", "m", "STORE", "b")]
    [InlineData("XREAD", "COUNT", "1", "STREAMS", "x", "b", "0", "0")]
    [InlineData("XREADGROUP", "GROUP", "g", "c", "STREAMS", "b", ">")]
    [InlineData("LMPOP", "2", "x", "b", "LEFT")]
    [InlineData("BLMPOP", "0", "2", "x", "b", "LEFT")]
    [InlineData("SINTERCARD", "2", "x", "b")]
    [InlineData("ZUNIONSTORE", "b", "1", "x")]
    [InlineData("ZUNIONSTORE", "x", "1", "b")]
    [InlineData("BITOP", "AND", "x", "y", "b")]
    [InlineData("OBJECT", "ENCODING", "b")]
    [InlineData("MEMORY", "USAGE", "b")]
    [InlineData("XINFO", "STREAM", "b")]
    [InlineData("RESTORE", "b", "0", "x")]
    [InlineData("COPY", "x", "b", "DB", "1")]
    [InlineData("MOVE", "b", "1")]
    [InlineData("MIGRATE", "127.0.0.1", "1", "b", "0", "10")]
    [InlineData("MIGRATE", "127.0.0.1", "1", "", "0", "10", "KEYS", "x", "b")]
    [InlineData("RANDOMKEY")]
    [InlineData("DBSIZE")]
    [InlineData("DEBUG", "OBJECT", "b")]
    [InlineData("SAVE")]
    [InlineData("PFDEBUG", "GETREG", "b")]
    [InlineData("SORT_RO", "x", "BY", "b*")]
    public async Task EndlessScript_EveryDoor_IsRefused(params string[] words)
    {
        await using var server = await ScriptServer.StartAsync();
        var (client, other) = (server.Connect(), server.Connect());
        var run = Run(client, "EVAL", "while true do redis.call('get', KEYS[2]) end", "2", "a", "b");
        await UntilHeldAsync(server);
        await CallAsync(other, Busy, words);
        await CallAsync(other, "+OK\r\n", "SCRIPT", "KILL");
        Assert.StartsWith("-ERR Script killed by user", await run);
    }

    private static Task<string> Run(InMemoryClient client, params string[] words) =>
        Task.Run(() => ScriptServer.CallAsync(client, words)); // What it sends may run in the sender.

    private static async Task CallAsync(InMemoryClient client, string reply, params string[] words) =>
        Assert.Equal(reply, await ScriptServer.CallAsync(client, words));

    private static async Task UntilHeldAsync(ScriptServer server)
    {
        var client = server.Connect();
        var start = DateTime.UtcNow;
        while (server.State.Databases.Held is null)
        {
            await CallAsync(client, "+PONG\r\n", "PING");
            Assert.True(DateTime.UtcNow - start < _patience);
        }
    }
}
