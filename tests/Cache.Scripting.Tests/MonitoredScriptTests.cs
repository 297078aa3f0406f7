using System.Text.RegularExpressions;

namespace Cache.Scripting.Tests;

/// <summary>MONITOR and scripts. The lines are those of redis-server 7.0.15, apart from moment and address.</summary>
public sealed partial class MonitoredScriptTests
{
    private const string Library =
        "#!lua name=lib\nredis.register_function('f', function(k) return redis.call('get', k[1]) end)";

    private const string Set = "redis.call('set', KEYS[1], '1') return redis.pcall('lpush', KEYS[1], 1)";

    private const string SetLines = """
        +T [0 A] "EVAL" "redis.call('set', KEYS[1], '1') return redis.pcall('lpush', KEYS[1], 1)" "1" "k"
        +T [0 lua] "set" "k" "1"
        +T [0 lua] "lpush" "k" "1"

        """;

    /// <summary>Known scripts are simple ones, which run on the loop.</summary>
    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Monitor_Script_IsShownBeforeItsCommands(bool isKnown) =>
        Assert.Equal(SetLines, await ShowAsync(isKnown ? Set : null, ["EVAL", Set, "1", "k"]));

    [Fact]
    public async Task Monitor_ScriptInTransaction_IsShownBeforeItsCommands() => Assert.Equal(
        "+T [0 A] \"MULTI\"\n" + SetLines + "+T [0 A] \"GET\" \"k\"\n+T [0 A] \"EXEC\"\n",
        await ShowAsync(null, ["MULTI"], ["EVAL", Set, "1", "k"], ["GET", "k"], ["EXEC"]));

    [Fact]
    public async Task Monitor_Function_IsShownBeforeItsCommands() => Assert.Equal(
        """
        +T [0 A] "FCALL" "f" "1" "k"
        +T [0 lua] "get" "k"
        +T [0 A] "FCALL_RO" "f" "1" "k"

        """,
        await ShowAsync(null, ["FCALL", "f", "1", "k"], ["FCALL_RO", "f", "1", "k"]));

    [Fact]
    public async Task Monitor_ScriptThatSelects_ShowsItsDatabases() => Assert.Equal(
        """
        +T [0 A] "EVAL" "redis.call('select', 2) return redis.call('get', 'k')" "0"
        +T [2 lua] "select" "2"
        +T [2 lua] "get" "k"

        """,
        await ShowAsync(null, ["EVAL", "redis.call('select', 2) return redis.call('get', 'k')", "0"]));

    [Theory]
    [InlineData("EVALSHA 0 0")]
    [InlineData("EVALSHA 0000000000000000000000000000000000000000 0")]
    [InlineData("EVALSHA 000000000000000000000000000000000000000x 0")]
    [InlineData("EVALSHA_RO 0000000000000000000000000000000000000000 x")]
    [InlineData("EVAL return x")]
    [InlineData("EVAL_RO return -1")]
    [InlineData("EVAL ( 0")]
    [InlineData("FCALL none 0")]
    [InlineData("FCALL f x")]
    [InlineData("FCALL_RO f 1")]
    public async Task Monitor_RefusedScript_IsShown(string line)
    {
        string[] words = line.Split(' ');
        Assert.Equal(
            $"+T [0 A] {string.Join(' ', words.Select(word => $"\"{word}\""))}\n", await ShowAsync(null, words));
    }

    // What is shown of some requests, one after the other.
    private static async Task<string> ShowAsync(string? known, params string[][] requests)
    {
        await using var server = await ScriptServer.StartAsync();
        var (client, monitor) = (server.Connect(), server.Connect());
        await ScriptServer.CallAsync(client, "FUNCTION", "LOAD", Library);
        if (known is not null)
            await ScriptServer.CallAsync(client, "SCRIPT", "LOAD", known);
        await ScriptServer.CallAsync(monitor, "MONITOR");
        foreach (string[] request in requests)
            await ScriptServer.CallAsync(client, request);
        await ScriptServer.CallAsync(client, "PING");
        string lines = "";
        for (string line = ""; !line.EndsWith("\"PING\"\n", StringComparison.Ordinal);)
        {
            lines += line;
            line = await ScriptServer.ReceiveAsync(monitor);
            line = Address().Replace(Moment().Replace(line, "+T"), "$1 A]").ReplaceLineEndings("\n");
        }

        return lines;
    }

    [GeneratedRegex(@"^\+\d+\.\d+")]
    private static partial Regex Moment();

    [GeneratedRegex(@"(\[\d+) [^l][^\]]*\]")]
    private static partial Regex Address();
}
