using Cache.Bench.Verbs;

namespace Cache.Bench.ServerLoad;

/// <summary>Many runs of the same loads against several servers, side by side.</summary>
/// <remarks>Servers and loads stand in the order in which they first ran.</remarks>
internal sealed class Comparison(IReadOnlyList<LoadReport> reports, IReadOnlyList<string> baselines)
{
    private const string None = "-";

    /// <summary>The medians of every load and server, with the CPU time's ratio to that of each baseline.</summary>
    public void PrintLoads()
    {
        var loads = reports.Where(static report => report.Rounds.Count > 0).GroupBy(static report => report.Load);
        foreach (var load in loads)
        {
            Console.WriteLine($"{load.Key}: {load.First().Settings}");
            var rounds = load.GroupBy(static report => report.Server).ToDictionary(
                static server => server.Key,
                static server => server.SelectMany(static report => report.Rounds).ToArray());
            PrintLoad(rounds);
        }
    }

    /// <summary>What each server's memory grew by when it was preloaded.</summary>
    public void PrintMemory()
    {
        var preloads = reports.Where(static report => report.Preload?.EntryOverheadBytes is not null).ToArray();
        if (preloads.Length == 0)
            return;
        Console.WriteLine($"memory after the preload: {preloads[0].Settings}");
        var table = new TextTable("server", "bytes/entry above key and value", "resident MB", "before", "preload s");
        foreach (var server in preloads.DistinctBy(static report => report.Server))
        {
            var preload = server.Preload!;
            table.Add(
                server.Server, $"{preload.EntryOverheadBytes:F0}", Megabytes(preload.ResidentBytesAfter),
                Megabytes(preload.ResidentBytesBefore), $"{preload.Seconds:F1}");
        }

        table.Print();
    }

    private void PrintLoad(Dictionary<string, RoundFigures[]> rounds)
    {
        var medians = rounds.ToDictionary(
            static server => server.Key, static server => RoundFigures.MedianOf(server.Value));
        string[] ratios = [.. baselines.Where(medians.ContainsKey)];
        var table = new TextTable([
            $"median of {rounds.Values.Min(static of => of.Length)}", "CPU µs/op",
            .. ratios.Select(static name => $"÷ {name}"), "user", "system", "ops/s",
            "p50 ms", "p99 ms", "p99.9 ms", "max ms", "client µs/op",
        ]);
        foreach (var (server, figures) in medians)
        {
            table.Add([
                server, Micros(figures.ServerCpuMicros),
                .. ratios.Select(name => Ratio(figures.ServerCpuMicros, medians[name].ServerCpuMicros)),
                Micros(figures.ServerUserMicros), Micros(figures.ServerSystemMicros),
                $"{figures.OperationsPerSecond:F0}",
                $"{figures.P50Ms:F3}", $"{figures.P99Ms:F3}", $"{figures.P999Ms:F3}", $"{figures.MaxMs:F2}",
                Micros(figures.ClientCpuMicros),
            ]);
        }

        table.Print();
    }

    private static string Micros(double? micros) => micros is { } value ? $"{value:F3}" : None;

    private static string Ratio(double? figure, double? baseline) =>
        figure is { } value && baseline is > 0 ? $"{value / baseline.Value:F2}" : None;

    private static string Megabytes(long? bytes) => bytes is { } value ? $"{value / 1048576.0:F0}" : None;
}
