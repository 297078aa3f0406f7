using System.Globalization;
using Cache.Near;

namespace NearRig;

/// <summary>A primary, a replica, and three sentinels that change which is which.</summary>
internal static class SentinelScenario
{
    private const string Name = "shop";

    public static async Task RunAsync(int rounds, RigReport report)
    {
        await using var first = await RedisProcess.StartAsync();
        await using var second = await RedisProcess.StartAsync(
            "--replicaof", "127.0.0.1 " + first.Port.ToString(CultureInfo.InvariantCulture));
        await RedisProcess.UntilAsync(
            async () => (await second.CallAsync("ROLE")).Items[3].Text == "connected", "a replica that is connected");
        await using var third = await RedisProcess.StartAsync(
            "--replicaof", "127.0.0.1 " + first.Port.ToString(CultureInfo.InvariantCulture));
        await RedisProcess.UntilAsync(
            async () => (await third.CallAsync("ROLE")).Items[3].Text == "connected", "another one");
        await using var one = await RedisProcess.StartSentinelAsync(Name, first, 2);
        await using var two = await RedisProcess.StartSentinelAsync(Name, first, 2);
        await using var three = await RedisProcess.StartSentinelAsync(Name, first, 2);
        RedisProcess[] sentinels = [one, two, three];
        foreach (var sentinel in sentinels)
        {
            await RedisProcess.UntilAsync(
                async () => await TextAsync(sentinel, "CKQUORUM") is ['O', 'K', ' ', '3', ..]
                    && (await sentinel.CallAsync("SENTINEL", "REPLICAS", Name)).Items.Length == 2,
                "sentinels that know one another and the replicas");
        }

        await using var near = await NearCaches.StartAsync(sentinels.Select(each => each.EndPoint), Name);
        await using var writer = await NearCaches.StartAsync(sentinels.Select(each => each.EndPoint), Name);
        var checker = new Checker(
            new NearSubject(near), new NearSubject(writer), "k:", 100, NearCaches.BoundMs + NearCaches.SlackMs);
        checker.Start(writers: 1, readers: 2);
        string data = $"{first.EndPoint},{second.EndPoint},{third.EndPoint}";
        string named = $"{string.Join(',', sentinels.Select(each => each.EndPoint))},serviceName={Name}";
        await using var hybrid = await HybridSubject.StartAsync(data, named, "h:");
        await using var other = await HybridSubject.StartAsync(data, named, "h:");
        var hybridChecker = new Checker(hybrid, other, "", 100, NearCaches.BoundMs + NearCaches.SlackMs);
        hybridChecker.Start(writers: 1, readers: 2);
        await Task.Delay(1000);
        for (int round = 0; round < rounds; round++)
        {
            await checker.PauseAsync();
            await hybridChecker.PauseAsync();
            await Task.Delay(500);
            string before = await PrimaryAsync(one);
            await one.CallAsync("SENTINEL", "FAILOVER", Name);
            await RedisProcess.UntilAsync(async () => await PrimaryAsync(one) != before, "another primary");
            string after = await PrimaryAsync(one);

            // The former primary is one for some seconds more; what it acknowledges then is lost (line 5).
            await UntilLinkedAsync(near, after);
            await UntilLinkedAsync(writer, after);
            checker.Resume();
            await checker.CompareAsync();
            // Coherent: StackExchange.Redis has found the new one too.
            await UntilLinkedAsync(hybrid, after);
            await UntilLinkedAsync(other, after);
            hybridChecker.Resume();
            await Task.Delay(1000);
            await hybridChecker.CompareAsync();
        }

        await checker.StopAsync();
        await hybridChecker.StopAsync();
        report.Check(
            $"sentinel, hybrid: {rounds} failovers, {hybridChecker.Reads} reads, {hybridChecker.Writes} writes, "
            + $"{hybridChecker.Violations} violations; {hybrid.Hits} hits",
            hybridChecker is { Violations: 0, Reads: > 0, Writes: > 0 } && hybrid.Hits > 0);
        report.Check(
            $"sentinel: {rounds} failovers, {checker.Reads} reads, {checker.Writes} writes, "
            + $"{checker.Violations} violations",
            checker is { Violations: 0, Reads: > 0, Writes: > 0 });
    }

    private static Task UntilLinkedAsync(NearCache cache, string server) => RedisProcess.UntilAsync(
        () => Task.FromResult(cache.Status is { IsCoherent: true } status && status.Nodes[0].Server == server),
        $"a link to {server}");

    private static Task UntilLinkedAsync(HybridSubject cache, string server) => RedisProcess.UntilAsync(
        () => Task.FromResult(cache.Status is { IsCoherent: true } status && status.Nodes[0].Server == server),
        $"a hybrid cache whose second level is {server}");

    // A sentinel that does not know enough others yet says so by an error.
    private static async Task<string> TextAsync(RedisProcess sentinel, string question)
    {
        try
        {
            return (await sentinel.CallAsync("SENTINEL", question, Name)).Text;
        }
        catch (Cache.Client.RespClientException)
        {
            return "";
        }
    }

    private static async Task<string> PrimaryAsync(RedisProcess sentinel)
    {
        var reply = await sentinel.CallAsync("SENTINEL", "get-master-addr-by-name", Name);
        return $"{reply.Items[0].Text}:{reply.Items[1].Text}";
    }
}
