using System.CommandLine;
using System.Net.Sockets;
using System.Security.Authentication;
using System.Text.Json;
using Cache.Bench.ServerLoad;

namespace Cache.Bench.Verbs;

/// <summary>Loads a running server, verifies its replies, and prints rates, latencies and CPU time.</summary>
internal static class ServerVerb
{
    // The smoke test's values: one that is only an id, the usual one, and one that spans several reads.
    private static readonly int[] _checkedValueBytes = [8, 256, 70_000];

    public static Command Create()
    {
        var options = new ServerVerbOptions();
        var verb = new Command("server", "Loads a running server of the Redis protocol and verifies every reply.");
        options.AddTo(verb);
        verb.SetAction(arguments => Run(options, arguments));
        return verb;
    }

    private static int Run(ServerVerbOptions verbOptions, ParseResult arguments)
    {
        var options = verbOptions.ToLoadOptions(arguments);
        string[] problems = [.. options.FindProblems()];
        foreach (string problem in problems)
            Console.Error.WriteLine(problem);
        if (problems.Length > 0)
            return 2;

        UseClientThreads(arguments.GetValue(verbOptions.Threads));
        try
        {
            if (arguments.GetValue(verbOptions.CheckOnly))
                return Check(options);
            var report = Load(options) with
            {
                Target = arguments.GetValue(verbOptions.Target)!,
                Server = arguments.GetValue(verbOptions.ServerName)!,
                Load = arguments.GetValue(verbOptions.LoadName)!,
            };
            if (arguments.GetValue(verbOptions.Json))
                Console.WriteLine(JsonSerializer.Serialize(report));
            else
                Print(report);
            return 0;
        }
        catch (SocketException failure)
        {
            Console.Error.WriteLine($"No server at {arguments.GetValue(verbOptions.Target)}: {failure.Message}");
            return 1;
        }
        catch (Exception failure) when (failure is AuthenticationException or IOException)
        {
            string target = arguments.GetValue(verbOptions.Target)!;
            Console.Error.WriteLine($"{target} cannot be spoken to: {failure.Message}");
            return 1;
        }
    }

    // The runtime reads these once, at the process's first socket: replies are handled where they are polled for.
    internal static void UseClientThreads(int threads)
    {
        Environment.SetEnvironmentVariable("DOTNET_SYSTEM_NET_SOCKETS_INLINE_COMPLETIONS", "1");
        Environment.SetEnvironmentVariable("DOTNET_SYSTEM_NET_SOCKETS_THREAD_COUNT", $"{threads}");
    }

    private static LoadReport Load(LoadOptions options)
    {
        using var run = new LoadRun(options);
        var preload = options.Preload ? run.Preload() : null;
        run.WarmUp();
        return new LoadReport
        {
            Target = "",
            Settings = Describe(options),
            Seed = options.Seed,
            Preload = preload,
            Rounds = [.. Enumerable.Range(0, options.Rounds).Select(_ => run.MeasureRound())],
        };
    }

    // Small and quick: whether replies are right, not how fast they come.
    private static int Check(LoadOptions options)
    {
        foreach (int valueBytes in _checkedValueBytes)
        {
            using var run = new LoadRun(options with
            {
                Keys = 500,
                ValueBytes = valueBytes,
                Connections = 8,
                Pipeline = 10,
                Requests = 4_000,
                RequireHits = true,
            });
            run.Preload();
            var round = run.MeasureRound();
            Console.WriteLine($"{round.Hits} values of {valueBytes} bytes verified, {round.Stored} stored");
        }

        return 0;
    }

    private static string Describe(LoadOptions options)
    {
        string keys = $"{options.Keys} keys of {options.KeyBytes} bytes, values of {options.ValueBytes}";
        if (options.Rounds == 0)
            return keys;
        return $"{keys}, GET:SET {options.GetShare}:{options.SetShare}, {(options.Zipf is null ? "uniform" : "Zipf")}, "
            + $"{options.Connections} connections, pipeline {options.Pipeline}, {(options.Tls is null ? "" : "TLS, ")}"
            + (options.Rate > 0 ? $"open loop at {options.Rate}/s" : "closed loop");
    }

    private static void Print(LoadReport report)
    {
        Console.WriteLine($"{report.Target}: {report.Settings}, seed {report.Seed}");
        if (report.Preload is { } preload)
        {
            Console.WriteLine(
                $"preloaded {preload.Keys} keys in {preload.Seconds:F1} s"
                + (preload.EntryOverheadBytes is { } bytes ? $", {bytes:F0} bytes per entry above key and value" : ""));
        }

        if (report.Rounds.Count == 0)
            return;
        var table = new TextTable(
            "round", "ops/s", "p50 ms", "p99 ms", "p99.9 ms", "max ms", "server µs/op", "user", "system",
            "client µs/op", "hits", "misses", "stored");
        for (int i = 0; i < report.Rounds.Count; i++)
            Add(table, $"{i + 1}", report.Rounds[i]);
        Add(table, "median", RoundFigures.MedianOf(report.Rounds));
        table.Print();
    }

    private static void Add(TextTable table, string name, RoundFigures round) => table.Add(
        name, $"{round.OperationsPerSecond:F0}", $"{round.P50Ms:F3}", $"{round.P99Ms:F3}", $"{round.P999Ms:F3}",
        $"{round.MaxMs:F3}", $"{round.ServerCpuMicros:F3}", $"{round.ServerUserMicros:F3}",
        $"{round.ServerSystemMicros:F3}", $"{round.ClientCpuMicros:F3}", $"{round.Hits}", $"{round.Misses}",
        $"{round.Stored}");
}
