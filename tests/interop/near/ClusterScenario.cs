using System.Globalization;

namespace NearRig;

/// <summary>Six servers as a cluster: slots that are taken by force, failovers asked for and forced.</summary>
internal static class ClusterScenario
{
    private const int SlotCount = 16384;

    public static async Task RunAsync(int rounds, RigReport report)
    {
        var nodes = new List<RedisProcess>();
        try
        {
            for (int i = 0; i < 6; i++)
            {
                nodes.Add(await RedisProcess.StartAsync(
                    "--cluster-enabled", "yes", "--cluster-node-timeout", "2000",
                    "--cluster-require-full-coverage", "no"));
            }

            await JoinAsync(nodes);
            await RunAsync(nodes, rounds, report);
        }
        finally
        {
            foreach (var node in nodes)
                await node.DisposeAsync();
        }
    }

    private static async Task RunAsync(List<RedisProcess> nodes, int rounds, RigReport report)
    {
        await using var near = await NearCaches.StartAsync(nodes.Select(node => node.EndPoint));
        await using var writer = await NearCaches.StartAsync(nodes.Select(node => node.EndPoint));
        await NearCaches.UntilCoherentAsync(near);
        var checker = new Checker(
            new NearSubject(near), new NearSubject(writer), "k:", 300, NearCaches.BoundMs + NearCaches.SlackMs);
        checker.Start(writers: 2, readers: 2);
        string servers = string.Join(',', nodes.Select(node => node.EndPoint));
        await using var hybrid = await HybridSubject.StartAsync(servers, servers, "h:");
        await using var other = await HybridSubject.StartAsync(servers, servers, "h:");
        var hybridChecker = new Checker(hybrid, other, "", 300, NearCaches.BoundMs + NearCaches.SlackMs);
        hybridChecker.Start(writers: 2, readers: 2);
        await Task.Delay(1000);
        int faults = 0;
        for (int round = 0; round < rounds; round++)
        {
            await ClaimByForceAsync(nodes);
            await Task.Delay(2000);
            await Task.WhenAll(checker.CompareAsync(), hybridChecker.CompareAsync());
            await FailOverAsync(nodes, round % 2 == 0 ? [] : ["TAKEOVER"], checker, hybridChecker);
            await Task.Delay(3000);
            await Task.WhenAll(checker.CompareAsync(), hybridChecker.CompareAsync());
            faults += 2;
        }

        await checker.StopAsync();
        await hybridChecker.StopAsync();
        report.Check(
            $"cluster, hybrid: {faults} faults, {hybridChecker.Reads} reads, {hybridChecker.Writes} writes, "
            + $"{hybridChecker.Violations} violations; {hybrid.Hits} hits",
            hybridChecker is { Violations: 0, Reads: > 0, Writes: > 0 } && hybrid.Hits > 0);
        report.Check(
            $"cluster: {faults} faults, {checker.Reads} reads, {checker.Writes} writes, "
            + $"{checker.Violations} violations; {near.Status.Hits} hits",
            checker is { Violations: 0, Reads: > 0, Writes: > 0 } && near.Status.Hits > 0);
    }

    // Another primary says that the slots are its own; the former owner deletes the keys and pushes nothing.
    private static async Task ClaimByForceAsync(List<RedisProcess> nodes)
    {
        var primaries = await PrimariesAsync(nodes);
        var (claimer, loser) = (primaries[0], primaries[1]);
        string id = (await claimer.CallAsync("CLUSTER", "MYID")).Text;
        int first = await FirstSlotOfAsync(loser);
        // With an epoch that is not the highest it would be told at once that the slots are another's.
        await claimer.CallAsync("CLUSTER", "BUMPEPOCH");
        for (int slot = first; slot < first + 50; slot++)
        {
            await claimer.CallAsync(
                "CLUSTER", "SETSLOT", slot.ToString(CultureInfo.InvariantCulture), "NODE", id);
        }

        await RedisProcess.UntilAsync(
            async () => await FirstSlotOfAsync(loser) != first, "an owner that knows that it is none any more");
    }

    // Nobody writes meanwhile: what was acknowledged and not copied would be lost (line 5).
    private static async Task FailOverAsync(List<RedisProcess> nodes, string[] options, params Checker[] checkers)
    {
        await Task.WhenAll(checkers.Select(checker => checker.PauseAsync()));
        await Task.Delay(500);
        foreach (var node in nodes)
        {
            var role = await node.CallAsync("ROLE");
            if (role.Items[0].Text != "slave" || role.Items[3].Text != "connected")
                continue;
            await node.CallAsync(["CLUSTER", "FAILOVER", .. options]);
            await RedisProcess.UntilAsync(
                async () => (await node.CallAsync("ROLE")).Items[0].Text == "master", "a replica that takes over");
            break;
        }

        foreach (var checker in checkers)
            checker.Resume();
    }

    private static async Task<List<RedisProcess>> PrimariesAsync(List<RedisProcess> nodes)
    {
        List<RedisProcess> primaries = [];
        foreach (var node in nodes)
        {
            if ((await node.CallAsync("ROLE")).Items[0].Text == "master" && await FirstSlotOfAsync(node) >= 0)
                primaries.Add(node);
        }

        return primaries;
    }

    // As the node itself sees it; −1: it has none.
    private static async Task<int> FirstSlotOfAsync(RedisProcess node)
    {
        string id = (await node.CallAsync("CLUSTER", "MYID")).Text;
        var slots = await node.CallAsync("CLUSTER", "SLOTS");
        var own = slots.Items.Where(range => range.Items[2].Items[2].Text == id).ToArray();
        return own.Length == 0 ? -1 : (int)own.Min(range => range.Items[0].Number);
    }

    private static async Task JoinAsync(List<RedisProcess> nodes)
    {
        foreach (var node in nodes.Skip(1))
        {
            await nodes[0].CallAsync(
                "CLUSTER", "MEET", "127.0.0.1", node.Port.ToString(CultureInfo.InvariantCulture));
        }

        await RedisProcess.UntilAsync(
            () => AllAsync(nodes, "cluster_known_nodes:6"), "six nodes that know one another");
        for (int i = 0; i < 3; i++)
        {
            await nodes[i].CallAsync(
                "CLUSTER", "ADDSLOTSRANGE",
                (SlotCount * i / 3).ToString(CultureInfo.InvariantCulture),
                (SlotCount * (i + 1) / 3 - 1).ToString(CultureInfo.InvariantCulture));
        }

        for (int i = 0; i < 3; i++)
        {
            string id = (await nodes[i].CallAsync("CLUSTER", "MYID")).Text;
            await nodes[i + 3].CallAsync("CLUSTER", "REPLICATE", id);
        }

        await RedisProcess.UntilAsync(() => AllAsync(nodes, "cluster_state:ok"), "a cluster in order");
        await RedisProcess.UntilAsync(
            async () =>
            {
                foreach (var node in nodes.Skip(3))
                {
                    if ((await node.CallAsync("ROLE")).Items[3].Text != "connected")
                        return false;
                }

                return true;
            },
            "replicas that are connected");
    }

    private static async Task<bool> AllAsync(List<RedisProcess> nodes, string line)
    {
        foreach (var node in nodes)
        {
            if (!(await node.CallAsync("CLUSTER", "INFO")).Text.Contains(line, StringComparison.Ordinal))
                return false;
        }

        return true;
    }
}
