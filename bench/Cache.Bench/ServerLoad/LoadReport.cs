namespace Cache.Bench.ServerLoad;

/// <summary>One run against one server, as it is written to a line of JSON and read back for a comparison.</summary>
internal sealed record LoadReport
{
    /// <summary>The name that the caller gave the server.</summary>
    public string Server { get; init; } = "";

    /// <summary>The name that the caller gave the load.</summary>
    public string Load { get; init; } = "";

    public required string Target { get; init; }

    public required string Settings { get; init; }

    public ulong Seed { get; init; }

    public PreloadFigures? Preload { get; init; }

    public required IReadOnlyList<RoundFigures> Rounds { get; init; }
}
