using System.Text;
using Cache.Server.Commands.Table;
using Cache.Testing;

namespace Cache.Scripting.Tests;

/// <summary>Each command of the table, called by a script: it replies, or is refused as by Redis.</summary>
public sealed class EveryCommandTests
{
    private const int ArgumentsMax = 6;
    private const string Refusal = "-ERR This Redis command is not allowed from script";

    [Fact]
    public async Task Call_EveryCommand_RepliesOrIsRefused()
    {
        await using var server = await ScriptServer.StartAsync();
        var client = server.Connect();
        foreach (var command in Commands())
        {
            for (int count = 0; count <= ArgumentsMax; count++)
            {
                string[] name = command.Name.Split('|');
                if (!command.Accepts(name.Length + count))
                    continue;
                string reply = await ScriptServer.CallAsync(
                    client,
                    ["EVAL", "return redis.pcall(unpack(ARGV))", "0", .. name, .. Enumerable.Repeat("1", count)]);

                bool isRefused = reply.StartsWith(Refusal, StringComparison.Ordinal);
                Assert.True(
                    isRefused == ((command.Flags & CommandFlags.NoScript) != 0), $"{command.Name} {count}: {reply}");
                Assert.Equal("+PONG\r\n", await ScriptServer.CallAsync(client, "PING"));
            }
        }
    }

    // What waits for others, what is of one connection, and what changes the server has no place in a script.
    [Theory]
    [InlineData("subscribe")]
    [InlineData("psubscribe")]
    [InlineData("ssubscribe")]
    [InlineData("unsubscribe")]
    [InlineData("multi")]
    [InlineData("exec")]
    [InlineData("watch")]
    [InlineData("eval")]
    [InlineData("evalsha_ro")]
    [InlineData("script|load")]
    [InlineData("script|kill")]
    [InlineData("wait")]
    [InlineData("waitaof")]
    [InlineData("auth")]
    [InlineData("hello")]
    [InlineData("reset")]
    [InlineData("quit")]
    [InlineData("monitor")]
    [InlineData("save")]
    [InlineData("shutdown")]
    [InlineData("client|pause")]
    [InlineData("config|set")]
    [InlineData("debug")]
    [InlineData("acl|setuser")]
    [InlineData("cache|cluster")]
    [InlineData("cache|package")]
    [InlineData("cache|unsafe")]
    public void NoScript_Command_IsFlagged(string name) =>
        Assert.NotEqual(
            CommandFlags.None,
            CommandTable.Default.FindFull(Encoding.ASCII.GetBytes(name))!.Flags & CommandFlags.NoScript);

    private static IEnumerable<CommandDefinition> Commands() =>
        CommandTable.Default.All.Where(command => command.Subcommands is null);
}
