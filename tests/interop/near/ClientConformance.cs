using System.Text;
using Cache.Client;
using Cache.Protocol;

namespace NearRig;

/// <summary>The client's connection beside a server that is there: Redis's, and ours.</summary>
internal static class ClientConformance
{
    public static async Task RunAsync(int port, RigReport report)
    {
        var address = new ServerAddress("127.0.0.1", port);
        var options = new RespClientOptions { Database = 1, ClientName = "rig" };
        await using var connection = await RespConnection.OpenAsync(address, options, null, default);
        report.Check("client: RESP3", connection is { ProtocolVersion: 3, Mode: "standalone" });
        report.Check("client: PING", (await CallAsync("PING")).Text == "PONG");
        report.Check("client: SET", (await CallAsync("SET", "rig:k", new string('v', 300_000))).Text == "OK");
        report.Check("client: GET of a long value", (await CallAsync("GET", "rig:k")).Bytes!.Length == 300_000);
        report.Check("client: absence", (await CallAsync("GET", "rig:none")).IsNull);
        report.Check("client: a map", (await CallAsync("CONFIG", "GET", "databases")).Items.Length == 2);
        await CallAsync("DEL", "rig:z");
        await CallAsync("ZADD", "rig:z", "1.5", "a");
        report.Check("client: a double", (await CallAsync("ZSCORE", "rig:z", "a")).Text == "1.5");
        report.Check("client: an error", (await CallAsync("GET", "rig:z")).ErrorCode == "WRONGTYPE");
        var failure = await CatchAsync(() => connection.DemandAsync(Request("GET", "rig:z"), "GET", default).AsTask());
        string expected = $"{address}, GET: WRONGTYPE";
        report.Check(
            "client: an exception names both", failure?.StartsWith(expected, StringComparison.Ordinal) == true);
        string info = (await CallAsync("CLIENT", "INFO")).Text;
        report.Check("client: database", info.Contains(" db=1 ", StringComparison.Ordinal));
        var wrong = new RespClientOptions { User = "nobody", Password = "x" };
        failure = await CatchAsync(() => RespConnection.OpenAsync(address, wrong, null, default));
        report.Check("client: a wrong password", failure?.Contains("WRONGPASS", StringComparison.Ordinal) == true);
        var replies = await Task.WhenAll(
            Enumerable.Range(0, 2000).Select(i => CallAsync("ECHO", i.ToString(null, null)).AsTask()));
        bool areInOrder = replies.Index().All(each => each.Item.Text == each.Index.ToString(null, null));
        report.Check("client: a pipeline", areInOrder);
        await CallAsync("DEL", "rig:k", "rig:z");

        ValueTask<RespReply> CallAsync(params string[] words) =>
            connection.CallAsync(Request(words), words[0], default);
    }

    private static RespRequestWriter Request(params string[] words)
    {
        var request = new RespRequestWriter().Begin(words.Length);
        foreach (string word in words)
            request.Add(Encoding.UTF8.GetBytes(word));
        return request;
    }

    private static async Task<string?> CatchAsync(Func<Task> call)
    {
        try
        {
            await call();
            return null;
        }
        catch (RespClientException failure)
        {
            return failure.Message;
        }
    }
}
