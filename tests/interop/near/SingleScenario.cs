using Cache.Near;

namespace NearRig;

/// <summary>
/// One server behind the proxy: links that break in all ways, a server that stops, is killed, flushed.
/// </summary>
internal static class SingleScenario
{
    public static async Task RunAsync(int rounds, RigReport report)
    {
        foreach (var tracking in (NearTracking[])[NearTracking.Broadcast, NearTracking.PerKey])
            await RunAsync(rounds, tracking, report);
    }

    private static async Task RunAsync(int rounds, NearTracking tracking, RigReport report)
    {
        await using var redis = await RedisProcess.StartAsync();
        await using var proxy = new FaultProxy(redis.Port);
        await using var near = await NearCaches.StartAsync([$"127.0.0.1:{proxy.Port}"], null, tracking);
        await using var writer = await NearCaches.StartAsync([redis.EndPoint]);
        var checker = new Checker(
            new NearSubject(near), new NearSubject(writer), "k:", 200, NearCaches.BoundMs + NearCaches.SlackMs);
        checker.Start(writers: 2, readers: 2);
        int faults = 0;
        double slowest = 0;
        for (int round = 0; round < rounds; round++)
        {
            foreach (var (name, fault) in Faults(redis, proxy))
            {
                await fault();
                faults++;
                slowest = Math.Max(slowest, await NearCaches.RecoveryMsAsync(near));
                await checker.CompareAsync();
                if (checker.Violations > 0)
                {
                    report.Check($"single, {tracking}: {name}: {checker.Violations} violations", false);
                    break;
                }
            }
        }

        await checker.StopAsync();
        report.Check(
            $"single, {tracking}: {faults} faults, {checker.Reads} reads, {checker.Writes} writes, "
            + $"{checker.Violations} violations; coherent again within {slowest:0} ms; {near.Status.Hits} hits",
            checker is { Violations: 0, Reads: > 0, Writes: > 0 } && near.Status.Hits > 0);
    }

    private static IEnumerable<(string Name, Func<Task> Fault)> Faults(RedisProcess redis, FaultProxy proxy)
    {
        yield return ("none", () => Task.Delay(1000));
        yield return ("a late link", () => WhileAsync(500, () => proxy.DelayMs = 50, () => proxy.DelayMs = 0));
        yield return ("a cut", () => WhileAsync(500, proxy.Cut, proxy.Mend));
        yield return ("a half-open link", () =>
            WhileAsync(3000, () => proxy.IsHalfOpen = true, () => proxy.IsHalfOpen = false));
        yield return ("a server that stops", () =>
            WhileAsync(1500, () => redis.Signal("STOP"), () => redis.Signal("CONT")));
        yield return ("CLIENT KILL", () => redis.CallAsync("CLIENT", "KILL", "TYPE", "normal"));
        yield return ("FLUSHALL", () => redis.CallAsync("FLUSHALL"));
        yield return ("kill -9", async () =>
        {
            await redis.KillAsync();
            await redis.StartAgainAsync();
        });
    }

    private static async Task WhileAsync(int ms, Action begin, Action end)
    {
        begin();
        await Task.Delay(ms);
        end();
    }
}
