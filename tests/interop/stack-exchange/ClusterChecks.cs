using System.Net;
using StackExchange.Redis;
using static Checks;

/// <summary>StackExchange.Redis before several servers that share the slots.</summary>
internal static class ClusterChecks
{
    private const int Keys = 200;

    public static async Task<int> RunAsync(string[] ports)
    {
        var configuration = new ConfigurationOptions { ClientName = "interop", AllowAdmin = true };
        configuration.EndPoints.Add(IPAddress.Loopback, int.Parse(ports[0]));
        using var multiplexer = await ConnectionMultiplexer.ConnectAsync(configuration);
        var database = multiplexer.GetDatabase();
        var checks = new Checks();
        await checks.CheckAsync("all servers are found", () =>
        {
            var nodes = multiplexer.GetServer(multiplexer.GetEndPoints()[0]).ClusterNodes()!;
            Equal(ports.Length, nodes.Nodes.Count);
            Equal(ServerType.Cluster, multiplexer.GetServer(multiplexer.GetEndPoints()[0]).ServerType);
            string[] found = [.. multiplexer.GetEndPoints().Select(one => $"{((IPEndPoint)one).Port}").Order()];
            Equal(string.Join(',', ports.Order()), string.Join(',', found));
            return Task.CompletedTask;
        });
        await checks.CheckAsync("keys of all slots", async () =>
        {
            await Task.WhenAll(Enumerable.Range(0, Keys).Select(i => database.StringSetAsync($"sc:{i}", $"v{i}")));
            for (int i = 0; i < Keys; i++)
                Equal($"v{i}", (string?)await database.StringGetAsync($"sc:{i}"));
        });
        await checks.CheckAsync("keys with a tag", async () =>
        {
            Equal(true, await database.StringSetAsync([new("{sc:t}a", "1"), new("{sc:t}b", "2")]));
            var values = await database.StringGetAsync(["{sc:t}a", "{sc:t}b"]);
            Equal("1,2", string.Join(',', values));
            Equal(multiplexer.HashSlot("{sc:t}a"), multiplexer.HashSlot("{sc:t}b"));
        });
        await checks.CheckAsync("a transaction of one slot", async () =>
        {
            var transaction = database.CreateTransaction();
            var set = transaction.StringSetAsync("{sc:m}a", "1");
            var sum = transaction.StringIncrementAsync("{sc:m}a");
            Equal(true, await transaction.ExecuteAsync());
            Equal(true, await set);
            Equal(2L, await sum);
        });
        await checks.CheckAsync("collections", async () =>
        {
            await database.ListRightPushAsync("{sc:l}a", ["1", "2"]);
            Equal("1", (string?)await database.ListLeftPopAsync("{sc:l}a"));
            await database.HashSetAsync("sc:h", "f", "v");
            Equal("v", (string?)await database.HashGetAsync("sc:h", "f"));
        });
        return checks.Finish();
    }
}
