using System.CommandLine;
using System.Net;
using Cache.Bench.ServerLoad;

namespace Cache.Bench.Verbs;

/// <summary>
/// Measures what usual clients keep of their rate and latency while others take more than their share.
/// </summary>
internal static class ServerFairnessVerb
{
    // The bars of the project: half of the rate alone, and 5 ms for 99 of 100 requests.
    private const double RateShareMin = 0.5;
    private const double P99MsMax = 5;

    private static readonly TargetOption _target = new("It needs 1 GB of memory for values.");

    private static readonly Option<int> _connections = new("--connections")
    {
        DefaultValueFactory = static _ => 50,
        Description = "How many usual clients.",
    };

    private static readonly Option<double> _seconds = new("--seconds")
    {
        DefaultValueFactory = static _ => 3,
        Description = "How long each measurement takes.",
    };

    public static Command Create()
    {
        var verb = new Command(
            "server-fairness",
            "Loads a server alone, then beside a flood, values of 100 MB and a client that never reads.")
        {
            _target, _connections, _seconds,
        };
        _connections.RequireAtLeast(1);
        verb.SetAction(static arguments => Run(
            _target.ReadFrom(arguments), arguments.GetValue(_connections), arguments.GetValue(_seconds)));
        return verb;
    }

    private static int Run(EndPoint target, int connections, double seconds)
    {
        ServerVerb.UseClientThreads(1);
        var options = new LoadOptions
        {
            Target = target,
            Connections = connections,
            Seconds = seconds,
            Keys = 100_000,
            Seed = 1,
        };
        using var run = new LoadRun(options);
        run.Preload();
        run.WarmUp();
        var table = new TextTable(
            "beside", "ops/s", "of the rate alone", "p50 ms", "p99 ms", "p99.9 ms", "max ms", "they did");
        var alone = run.MeasureRound();
        Add(table, "nobody", alone, alone, "");
        bool isFair = true;
        foreach (var (name, begin) in Hostile())
        {
            var hostile = begin.Select(one => one(target)).ToArray();
            var round = run.MeasureRound();
            Add(table, name, round, alone, string.Join(", ", hostile.Select(static one => one.Count)));
            foreach (var one in hostile)
                one.Dispose();
            isFair &= round.P99Ms <= P99MsMax && round.OperationsPerSecond >= RateShareMin * alone.OperationsPerSecond;
        }

        table.Print();
        Console.WriteLine(isFair ? "fair" : $"NOT FAIR: the bars are {RateShareMin:P0} of the rate and {P99MsMax} ms");
        return isFair ? 0 : 1;
    }

    private static IEnumerable<(string Name, Func<EndPoint, HostileClient>[] Begin)> Hostile()
    {
        yield return ("a flood", [HostileClient.Flood]);
        yield return ("values of 100 MB", [HostileClient.WriteLargeValues]);
        yield return ("one that never reads", [HostileClient.NeverRead]);
        yield return ("all three", [HostileClient.Flood, HostileClient.WriteLargeValues, HostileClient.NeverRead]);
    }

    private static void Add(
        TextTable table, string name, RoundFigures round, RoundFigures alone, string did) => table.Add(
        name, $"{round.OperationsPerSecond:F0}", $"{round.OperationsPerSecond / alone.OperationsPerSecond:P0}",
        $"{round.P50Ms:F3}", $"{round.P99Ms:F3}", $"{round.P999Ms:F3}", $"{round.MaxMs:F3}", did);
}
