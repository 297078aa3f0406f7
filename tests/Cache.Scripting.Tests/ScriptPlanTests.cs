using System.Text;
using Cache.Scripting.Running;
using Cache.Server.Commands.Scripts;
using Cache.Server.Commands.Table;
using Cache.Testing;

namespace Cache.Scripting.Tests;

/// <summary>What simple scripts may do on a loop: little, whatever they are given.</summary>
public sealed class ScriptPlanTests
{
    private const string Doubling = "redis.call('append', KEYS[1], redis.call('get', KEYS[1])) ";

    [Theory]
    [InlineData("return redis.call('srandmember', KEYS[1], ARGV[1])")] // A count below zero: as often as it says.
    [InlineData("return redis.call('hrandfield', KEYS[1], ARGV[1])")]
    [InlineData("return redis.call('zrandmember', KEYS[1], -1000000, 'WITHSCORES')")]
    public void Create_CommandWithCount_IsAlone(string script) => Assert.Null(PlanOf(script));

    [Theory]
    [InlineData("return redis.call('srandmember', KEYS[1])")]
    [InlineData("redis.call('hset', KEYS[1], 'a', ARGV[1], 'b', ARGV[2]) return redis.call('expire', KEYS[1], 10)")]
    [InlineData("local v = redis.call('get', KEYS[1]) redis.call('set', KEYS[2], v) return 'got ' .. v")]
    public void Create_ShortCommands_HasPlan(string script) => Assert.NotNull(PlanOf(script));

    [Fact]
    public void Create_TextsThatDoubleAgainAndAgain_IsAlone()
    {
        Assert.NotNull(PlanOf(Repeat(Doubling, 10)));
        Assert.Null(PlanOf(Repeat(Doubling, 23)));
        Assert.Null(PlanOf("local s = ARGV[1] " + Repeat("s = s .. s ", 8) + Repeat(Doubling, 15)));
        Assert.NotNull(PlanOf(Repeat("redis.call('append', KEYS[1], ARGV[1]) ", 60)));
    }

    [Fact]
    public async Task EvalSha_TextsThatDouble_RepliesAsAlone()
    {
        await using var server = await ScriptServer.StartAsync();
        var client = server.Connect();
        const string Script = Doubling + Doubling + Doubling + Doubling + "return redis.call('strlen', KEYS[1])";
        string digest = (await ScriptServer.CallAsync(client, "SCRIPT", "LOAD", Script))[5..45];
        await ScriptServer.CallAsync(client, "SET", "a", new string('v', 100));

        for (int length = 1600; length <= 1600 << 12; length *= 16) // On a loop first, at last alone.
        {
            Assert.Equal($":{length}\r\n", await ScriptServer.CallAsync(client, "EVALSHA", digest, "1", "a"));
        }
    }

    [Fact]
    public async Task EvalSha_TableThatNamesTextAgainAndAgain_IsRefused()
    {
        await using var server = await ScriptServer.StartAsync();
        var client = server.Connect();
        string script = "local s = ARGV[1] return {" + Repeat("s, ", 200) + "s}";
        string digest = (await ScriptServer.CallAsync(client, "SCRIPT", "LOAD", script))[5..45];

        Assert.StartsWith(
            "*201\r\n$1000\r\n",
            await ScriptServer.CallAsync(client, "EVALSHA", digest, "0", new string('v', 1000)));
        Assert.StartsWith(
            "-ERR reached lua stack limit",
            await ScriptServer.CallAsync(client, "EVALSHA", digest, "0", new string('v', 60_000)));
    }

    [Fact]
    public async Task EvalSha_TablesThatNameOneAgainAndAgain_IsRefusedSoon()
    {
        await using var server = await ScriptServer.StartAsync();
        var client = server.Connect();
        string script = "local a = {} local b = {" + Repeat("a, ", 100) + "} local c = {" + Repeat("b, ", 100)
            + "} return {" + Repeat("c, ", 20) + "}"; // 200,000 tables, less than a megabyte.
        string digest = (await ScriptServer.CallAsync(client, "SCRIPT", "LOAD", script))[5..45];

        Assert.StartsWith(
            "-ERR reached lua stack limit", await ScriptServer.CallAsync(client, "EVALSHA", digest, "0"));
    }

    [Theory]
    [InlineData("return redis.call('publish', 'channel', 'x')")]
    [InlineData("return redis.call('spublish', KEYS[1], 'x')")]
    [InlineData("return redis.call('pfcount', KEYS[1])")]
    [InlineData("for _ = 1, 1 do end return redis.call('publish', 'channel', 'x')")]
    public async Task EvalRo_CommandThatRedisReplicates_IsRefused(string script)
    {
        await using var server = await ScriptServer.StartAsync();
        var client = server.Connect();

        for (int i = 0; i < 2; i++)
        {
            Assert.StartsWith(
                "-ERR Write commands are not allowed from read-only scripts.",
                await ScriptServer.CallAsync(client, "EVAL_RO", script, "1", "a"));
            Assert.StartsWith(
                "-ERR Write commands are not allowed from read-only scripts.",
                await ScriptServer.CallAsync(client, "EVAL", "#!lua flags=no-writes\n" + script, "1", "a"));
        }

        Assert.Equal(":0\r\n", await ScriptServer.CallAsync(client, "EVAL", script, "1", "a"));
    }

    private static ScriptPlan? PlanOf(string script)
    {
        var outline = OutlineReader.Read(Encoding.Latin1.GetBytes(script));
        Assert.NotNull(outline);
        return ScriptPlan.Create(outline, CommandTable.Default);
    }

    private static string Repeat(string text, int count) => string.Concat(Enumerable.Repeat(text, count));
}
