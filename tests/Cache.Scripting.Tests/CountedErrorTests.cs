using System.Text.RegularExpressions;
using Cache.Testing;

namespace Cache.Scripting.Tests;

/// <summary>An error is counted where it arises. The figures are those of redis-server 7.0.15.</summary>
public sealed partial class CountedErrorTests
{
    private const string Library = """
        #!lua name=lib
        redis.register_function('f', function(k) return redis.call('incr', k[1]) end)
        redis.register_function('g', function() return redis.error_reply('FOO x') end)
        """;

    // Errors by their codes; calls that were refused and that failed, by commands.
    [Theory]
    [InlineData("return redis.call('incr', KEYS[1])", "ERR 1, eval 0 1, incr 0 1")]
    [InlineData("return redis.pcall('incr', KEYS[1])", "ERR 1, eval 0 1, incr 0 1")]
    [InlineData("redis.pcall('incr', KEYS[1]) return 1", "ERR 1, eval 0 0, incr 0 1")]
    [InlineData("local r = redis.pcall('incr', KEYS[1]) error(r)", "ERR 1, eval 0 1, incr 0 1")]
    [InlineData("local r = redis.pcall('incr', KEYS[1]) return {err = r.err}", "ERR 2, eval 0 1, incr 0 1")]
    [InlineData("local r = redis.pcall('incr', KEYS[1]) return {r, r, {r}}", "ERR 1, eval 0 3, incr 0 1")]
    [InlineData("return {redis.error_reply('FOO a'), {redis.error_reply('BAR b')}}", "BAR 1, FOO 1, eval 0 1")]
    [InlineData(
        "return {redis.pcall('incr', KEYS[1]), redis.error_reply('FOO a')}", "ERR 1, FOO 1, eval 0 2, incr 0 1")]
    [InlineData("return redis.error_reply('FOO a')", "FOO 1, eval 0 1")]
    [InlineData("error('here')", "ERR 1, eval 0 1")]
    [InlineData("redis.pcall('nosuch') return 1", "ERR 1, eval 0 0")]
    [InlineData("return redis.call('nosuch')", "ERR 1, eval 0 1")]
    [InlineData("redis.pcall('get') return 1", "ERR 1, eval 0 0, get 1 0")]
    [InlineData("return redis.call('get')", "ERR 1, eval 0 1, get 1 0")]
    [InlineData("redis.pcall('subscribe', 'c') return 1", "ERR 1, eval 0 0, subscribe 1 0")]
    [InlineData("redis.pcall() redis.pcall('get', {}) return 1", "eval 0 0")]
    [InlineData("#!lua flags=no-writes\nredis.pcall('set', KEYS[1], 1) return 1", "ERR 1, eval 0 0, set 1 0")]
    public async Task Eval_Errors_AreCountedOnce(string script, string figures)
    {
        Assert.Equal(figures, await CountAsync(null, ["EVAL", script, "1", "text"]));
        if (!script.StartsWith('#'))
            Assert.Equal(figures, await CountAsync(script, ["EVAL", script, "1", "text"])); // Then a simple one.
    }

    [Fact]
    public async Task Fcall_Errors_AreCountedOnce()
    {
        Assert.Equal("ERR 1, fcall 0 1, incr 0 1", await CountAsync(null, ["FCALL", "f", "1", "text"]));
        Assert.Equal("FOO 1, fcall 0 1", await CountAsync(null, ["FCALL", "g", "1", "text"]));
        Assert.Equal("ERR 1, fcall_ro 0 1", await CountAsync(null, ["FCALL_RO", "g", "0"]));
    }

    [Fact]
    public async Task Exec_Errors_AreCountedOnce()
    {
        Assert.Equal(
            "ERR 1, WRONGTYPE 1, exec 0 0, incr 0 1, lpush 0 1, multi 0 0",
            await CountAsync(null, ["MULTI"], ["INCR", "text"], ["LPUSH", "text", "1"], ["EXEC"]));
        Assert.Equal(
            "ERR 1, eval 0 1, exec 0 0, incr 0 1, multi 0 0",
            await CountAsync(
                null, ["MULTI"], ["EVAL", "return redis.call('incr', KEYS[1])", "1", "text"], ["EXEC"]));
        Assert.Equal("ERR 1, exec 0 1", await CountAsync(null, ["EXEC"]));
    }

    private static async Task<string> CountAsync(string? known, params string[][] requests)
    {
        await using var server = await ScriptServer.StartAsync();
        var client = server.Connect();
        await ScriptServer.CallAsync(client, "FUNCTION", "LOAD", Library);
        await ScriptServer.CallAsync(client, "SET", "text", "x");
        if (known is not null)
            await ScriptServer.CallAsync(client, "SCRIPT", "LOAD", known);
        await ScriptServer.CallAsync(client, "CONFIG", "RESETSTAT");
        foreach (string[] request in requests)
            await ScriptServer.CallAsync(client, request);
        return string.Join(
            ", ", [.. await ReadAsync(client, "errorstats"), .. await ReadAsync(client, "commandstats")]);
    }

    private static async Task<IEnumerable<string>> ReadAsync(InMemoryClient client, string section) =>
        Figure().Matches(await ScriptServer.CallAsync(client, "INFO", section))
            .Select(match => match.Groups[1].Value + " " + match.Groups[2].Value
                + (match.Groups[3].Success ? $" {match.Groups[3].Value}" : ""))
            .Where(static line => !line.StartsWith("config|", StringComparison.Ordinal)
                && !line.StartsWith("info ", StringComparison.Ordinal))
            .Order(StringComparer.Ordinal);

    [GeneratedRegex(
        @"^(?:errorstat_(?<1>\w+):count=|cmdstat_(?<1>[^:]+):.*rejected_calls=)(?<2>\d+)"
            + @"(?:,failed_calls=(?<3>\d+))?\r$",
        RegexOptions.Multiline)]
    private static partial Regex Figure();
}
