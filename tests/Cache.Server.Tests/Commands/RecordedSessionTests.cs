using System.Text;

namespace Cache.Server.Tests.Commands;

/// <summary>Replays the sessions of Sessions/*.tsv, whose replies were recorded from redis-server 7.0.15.</summary>
public sealed class RecordedSessionTests
{
    public static TheoryData<string, string> Sessions()
    {
        var data = new TheoryData<string, string>();
        foreach (string file in new[]
        {
            "connection", "server", "acl", "config", "tools", "pubsub", "transactions", "events", "tracking", "waits",
            "cluster", "cluster-on",
        })
        {
            foreach (var session in RecordedSession.ReadAll(file))
                data.Add(file, session.Title);
        }

        return data;
    }

    [Theory]
    [MemberData(nameof(Sessions))]
    public void Execute_RecordedSession_RepliesAsRedis(string file, string title)
    {
        using var server = new TestServer();
        if (title.StartsWith("cluster:", StringComparison.Ordinal))
            server.State.Cluster = TestCluster.Create();
        var clients = new Dictionary<string, CommandClient>();
        var closed = new HashSet<CommandClient>();
        string before = "";
        var differences = new StringBuilder();
        foreach (var step in RecordedSession.ReadAll(file).Single(session => session.Title == title).Steps)
        {
            if (!clients.TryGetValue(step.Client, out var client))
                clients.Add(step.Client, client = server.Connect(step.Client is [_, .., '3'] ? 3 : 2));
            string reply = step.Command == "<" ? client.Receive()
                : step.Reply.Length == 0 ? client.Begin(step.Arguments)
                : client.Call(step.Arguments);
            if (client.Client.ShouldClose && closed.Add(client))
                reply += "<closed>";
            string actual = RecordedSession.Escape(reply);
            if (actual != step.Reply)
                differences.Append($"{before} {step.Command}\n  Redis: {step.Reply}\n  here:  {actual}\n");
            before = step.Command;
        }

        Assert.True(differences.Length == 0, differences.ToString());
    }
}
