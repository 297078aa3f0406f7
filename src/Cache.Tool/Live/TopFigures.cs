using System.Globalization;
using Cache.Tool.Client;

namespace Cache.Tool.Live;

/// <summary>What one frame of cache top shows.</summary>
internal sealed record TopFigures
{
    private const int KeysShown = 10;
    private const string StatPrefix = "cmdstat_";
    private const string LatencyPrefix = "latency_percentiles_usec_";

    /// <summary>INFO of all sections that are needed.</summary>
    public required Dictionary<string, string> Info { get; init; }

    /// <summary>The doctor's worst sentence; null: nothing is wrong, or the user may not ask.</summary>
    public Reply? Worst { get; init; }

    /// <summary>The keys that are read most.</summary>
    public IReadOnlyList<Reply> Keys { get; init; } = [];

    /// <summary>What the user may not ask, in the server's words; null: he may ask all.</summary>
    public string? Refusal { get; init; }

    public long Commands => Number("total_commands_processed");

    public long Hits => Number("keyspace_hits");

    public long Misses => Number("keyspace_misses");

    /// <exception cref="Verbs.ToolException">The user may not ask for INFO.</exception>
    public static TopFigures Read(ServerConnection server)
    {
        var doctor = server.TryCall("CACHE", "DOCTOR");
        var keys = server.TryCall(
            "CACHE", "TOPKEYS", "BY", "requests", "COUNT", KeysShown.ToString(CultureInfo.InvariantCulture));
        var refused = doctor.Kind == ReplyKind.Error ? doctor : keys;
        return new TopFigures
        {
            Info = server.Info("server", "clients", "memory", "stats", "commandstats", "latencystats"),
            Worst = doctor.Items is [var worst, ..] ? worst : null,
            Keys = keys.Items,
            Refusal = refused.Kind == ReplyKind.Error ? refused.Text : null,
        };
    }

    /// <summary>A field of INFO; 0 if it is no number.</summary>
    public long Number(string field) =>
        long.TryParse(Info.GetValueOrDefault(field), CultureInfo.InvariantCulture, out long number) ? number : 0;

    /// <summary>The percentage of hits among the reads since another frame, or the start; null: no read.</summary>
    public double? HitPercentSince(TopFigures? before)
    {
        long hits = Hits - (before?.Hits ?? 0);
        long reads = hits + Misses - (before?.Misses ?? 0);
        return reads > 0 && hits >= 0 ? 100.0 * hits / reads : null;
    }

    /// <summary>The command that is called most, with its percentiles; empty: none was.</summary>
    public (string Name, string Percentiles) Busiest()
    {
        string name = "";
        long most = 0;
        foreach (var (field, value) in Info)
        {
            if (!field.StartsWith(StatPrefix, StringComparison.Ordinal) || CallsIn(value) <= most)
                continue;
            most = CallsIn(value);
            name = field[StatPrefix.Length..];
        }

        return (name, Info.GetValueOrDefault(LatencyPrefix + name, ""));
    }

    // calls=7,usec=...
    private static long CallsIn(string statistics) =>
        long.TryParse(statistics.Split(',')[0].Split('=')[^1], CultureInfo.InvariantCulture, out long calls)
            ? calls
            : 0;
}
