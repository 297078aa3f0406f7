using Cache.Client;
using Cache.Near;
using Cache.Protocol;

namespace NearRig;

/// <summary>
/// Hybrid caches whose second level has connections of its own, late ones too; the connection that is told of changes
/// breaks in all ways, and so does the server.
/// </summary>
internal static class HybridScenario
{
    public static async Task RunAsync(int rounds, RigReport report)
    {
        await using var redis = await RedisProcess.StartAsync();
        await RunAsync("hybrid", redis.Port, redis, rounds, report);
        await RunWithoutTrackingAsync(redis, report);
    }

    /// <summary>The same against a server that runs already.</summary>
    public static Task RunAgainstAsync(int port, RigReport report) => RunAsync("hybrid, ours", port, null, 1, report);

    private static async Task RunAsync(string name, int port, RedisProcess? redis, int rounds, RigReport report)
    {
        await using var tracking = new FaultProxy(port);
        await using var data = new FaultProxy(port);
        await using var reader = await HybridSubject.StartAsync(data.Port, tracking.Port);
        await using var writer = await HybridSubject.StartAsync(port, port);
        var checker = new Checker(reader, writer, "", 200, NearCaches.BoundMs + NearCaches.SlackMs);
        checker.Start(writers: 2, readers: 2);
        int faults = 0;
        double slowest = 0;
        for (int round = 0; round < rounds; round++)
        {
            foreach (var (fault, make) in Faults(port, redis, tracking, data))
            {
                await make();
                faults++;
                double began = Checker.NowMs;
                await RedisProcess.UntilAsync(
                    () => Task.FromResult(reader.Status.IsCoherent), () => $"coherence after {fault}: {reader.Told}");
                slowest = Math.Max(slowest, Checker.NowMs - began);
                await checker.CompareAsync();
                if (checker.Violations > 0)
                {
                    report.Check($"{name}: {fault}: {checker.Violations} violations", false);
                    break;
                }
            }
        }

        await checker.StopAsync();
        report.Check(
            $"{name}: {faults} faults, {checker.Reads} reads, {checker.Writes} writes, {checker.Violations} violations;"
            + $" coherent again within {slowest:0} ms; {reader.Hits} hits",
            checker is { Violations: 0, Reads: > 0, Writes: > 0 } && reader.Hits > 0);
    }

    private static IEnumerable<(string Name, Func<Task> Fault)> Faults(
        int port, RedisProcess? redis, FaultProxy tracking, FaultProxy data)
    {
        yield return ("none", () => Task.Delay(1000));
        yield return ("late values", () => WhileAsync(1500, () => data.DelayMs = 30, () => data.DelayMs = 0));
        yield return ("late pushes", () => WhileAsync(1000, () => tracking.DelayMs = 50, () => tracking.DelayMs = 0));
        yield return ("a cut", () => WhileAsync(500, tracking.Cut, tracking.Mend));
        yield return ("a half-open link", () =>
            WhileAsync(3000, () => tracking.IsHalfOpen = true, () => tracking.IsHalfOpen = false));
        yield return ("CLIENT KILL", () => CallAsync(port, "CLIENT", "KILL", "TYPE", "normal"));
        yield return ("FLUSHALL", () => CallAsync(port, "FLUSHALL"));
        if (redis is null)
            yield break;
        yield return ("a server that stops", () =>
            WhileAsync(1500, () => redis.Signal("STOP"), () => redis.Signal("CONT")));
        yield return ("kill -9", async () =>
        {
            await redis.KillAsync();
            await redis.StartAgainAsync();
        });
    }

    // A user that may do all but track: refused at the start, unless time alone was chosen.
    private static async Task RunWithoutTrackingAsync(RedisProcess redis, RigReport report)
    {
        await redis.CallAsync("ACL", "SETUSER", "plain", "on", ">secret", "~*", "&*", "+@all", "-client|tracking");
        const string User = ",user=plain,password=secret";
        try
        {
            await using var refused = await HybridSubject.StartAsync(redis.Port, redis.Port, user: User);
            report.Check("without tracking: the start fails", false);
        }
        catch (RespClientException failure)
        {
            report.Check($"without tracking: {failure.Message}", failure.Message.Contains("TimeOnly"));
        }

        await using var first = await HybridSubject.StartAsync(redis.Port, redis.Port, NearCoherence.TimeOnly, User);
        await using var second = await HybridSubject.StartAsync(redis.Port, redis.Port, NearCoherence.TimeOnly, User);
        await RedisProcess.UntilAsync(
            () => Task.FromResult(first.Status.IsListening && second.Status.IsListening), "two that listen");
        await first.SetAsync("told", [1]);
        await RedisProcess.UntilAsync(
            async () => await second.GetAsync("told") is [1] && second.Hits > 0, "the first value, kept");
        await first.SetAsync("told", [2]);
        await RedisProcess.UntilAsync(async () => await second.GetAsync("told") is [2], "the value that was told of");
        report.Check("without tracking: a process hears of another's write", second.Status.UsefulPushes > 0);
    }

    private static async Task CallAsync(int port, params string[] words)
    {
        var address = new ServerAddress("127.0.0.1", port);
        await using var connection = await RespConnection.OpenAsync(address, new RespClientOptions(), null, default);
        var request = new RespRequestWriter().Begin(words.Length);
        foreach (string word in words)
            request.Add(System.Text.Encoding.UTF8.GetBytes(word));
        await connection.DemandAsync(request, words[0], default);
    }

    private static async Task WhileAsync(int ms, Action begin, Action end)
    {
        begin();
        await Task.Delay(ms);
        end();
    }
}
