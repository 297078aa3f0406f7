using System.Text;
using Cache.Server.Tests.Commands;
using Cache.Testing;

namespace Cache.Scripting.Tests;

/// <summary>Replays Sessions/*.tsv, whose replies were recorded from redis-server 7.0.15.</summary>
public sealed class RecordedScriptTests
{
    [Theory]
    [InlineData("scripts in RESP2")]
    [InlineData("scripts in RESP3")]
    public Task Eval_RecordedScript_RepliesAsRedis(string title) => ReplayAsync("scripts", title);

    /// <summary>Simple ones run with their keys locked as soon as they are known.</summary>
    [Theory]
    [InlineData("scripts in RESP2")]
    [InlineData("scripts in RESP3")]
    public Task Eval_RecordedScriptThatIsKnown_RepliesAsRedis(string title) =>
        ReplayAsync("scripts", title, areKnown: true);

    [Theory]
    [InlineData("functions in RESP2")]
    [InlineData("functions in RESP3")]
    [InlineData("restored functions in RESP2")]
    [InlineData("restored functions in RESP3")]
    [InlineData("functions in transactions in RESP2")]
    [InlineData("functions in transactions in RESP3")]
    public Task Function_RecordedSession_RepliesAsRedis(string title) => ReplayAsync("functions", title);

    [Theory]
    [InlineData("texts in RESP2")]
    [InlineData("texts in RESP3")]
    public Task Eval_RecordedTexts_AreThoseOfOldLua(string title) => ReplayAsync("texts", title);

    private static async Task ReplayAsync(string file, string title, bool areKnown = false)
    {
        await using var server = await ScriptServer.StartAsync();
        var loader = server.Connect();
        var clients = new Dictionary<string, InMemoryClient>();
        var differences = new StringBuilder();
        foreach (var step in RecordedSession.ReadAll(file).Single(session => session.Title == title).Steps)
        {
            if (!clients.TryGetValue(step.Client, out var client))
            {
                clients.Add(step.Client, client = server.Connect());
                if (step.Client.EndsWith('3'))
                    await ScriptServer.CallAsync(client, "HELLO", "3");
            }

            if (areKnown && step.Arguments is ["eval" or "EVAL", var script, ..])
                await ScriptServer.CallAsync(loader, "SCRIPT", "LOAD", script);
            string actual = RecordedSession.Escape(await ScriptServer.CallAsync(client, step.Arguments));
            if (actual != step.Reply)
                differences.Append($"{step.Command}\n  Redis: {step.Reply}\n  here:  {actual}\n");
        }

        Assert.True(differences.Length == 0, differences.ToString());
    }
}
