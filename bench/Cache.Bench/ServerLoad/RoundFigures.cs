namespace Cache.Bench.ServerLoad;

/// <summary>What one round of load measured.</summary>
/// <remarks>CPU times are microseconds per operation; the server's are null without its process id.</remarks>
internal sealed record RoundFigures
{
    public long Operations { get; init; }

    public long Hits { get; init; }

    public long Misses { get; init; }

    public long Stored { get; init; }

    public double OperationsPerSecond { get; init; }

    public double P50Ms { get; init; }

    public double P99Ms { get; init; }

    public double P999Ms { get; init; }

    public double MaxMs { get; init; }

    public double? ServerUserMicros { get; init; }

    public double? ServerSystemMicros { get; init; }

    public double? ServerCpuMicros => ServerUserMicros + ServerSystemMicros;

    public double ClientCpuMicros { get; init; }

    /// <summary>The median of every figure by itself.</summary>
    public static RoundFigures MedianOf(IReadOnlyList<RoundFigures> rounds) => new()
    {
        Operations = (long)Median(rounds, static round => round.Operations),
        Hits = (long)Median(rounds, static round => round.Hits),
        Misses = (long)Median(rounds, static round => round.Misses),
        Stored = (long)Median(rounds, static round => round.Stored),
        OperationsPerSecond = Median(rounds, static round => round.OperationsPerSecond),
        P50Ms = Median(rounds, static round => round.P50Ms),
        P99Ms = Median(rounds, static round => round.P99Ms),
        P999Ms = Median(rounds, static round => round.P999Ms),
        MaxMs = Median(rounds, static round => round.MaxMs),
        ServerUserMicros = MedianOrNull(rounds, static round => round.ServerUserMicros),
        ServerSystemMicros = MedianOrNull(rounds, static round => round.ServerSystemMicros),
        ClientCpuMicros = Median(rounds, static round => round.ClientCpuMicros),
    };

    private static double Median(IReadOnlyList<RoundFigures> rounds, Func<RoundFigures, double> figure)
    {
        double[] sorted = [.. rounds.Select(figure).Order()];
        int middle = sorted.Length / 2;
        return sorted.Length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
    }

    private static double? MedianOrNull(IReadOnlyList<RoundFigures> rounds, Func<RoundFigures, double?> figure) =>
        rounds.All(round => figure(round) is not null) ? Median(rounds, round => figure(round)!.Value) : null;
}
