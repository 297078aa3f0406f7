namespace Cache.Near;

/// <summary>
/// The figures of what keeps a hybrid cache true to its second level at one moment, counted since it was made.
/// </summary>
public sealed record HybridCoherenceStatus
{
    /// <summary>Whether the values of all known primaries count now, by client tracking.</summary>
    public required bool IsCoherent { get; init; }

    /// <summary>
    /// Whether it was proved that the servers tell of what the second level writes; until then no value counts.
    /// </summary>
    public required bool IsProved { get; init; }

    /// <summary>Why that was last tried in vain; null: it was not.</summary>
    public required string? LastProofFailure { get; init; }

    /// <summary>
    /// Whether other processes' own writes are heard of, where <see cref="NearCoherence.TimeOnly"/> was chosen.
    /// </summary>
    public required bool IsListening { get; init; }

    /// <summary>The primaries.</summary>
    public required IReadOnlyList<NearNodeStatus> Nodes { get; init; }

    /// <summary>Reads that could not count what is here, and went to the second level.</summary>
    public required long Bypasses { get; init; }

    /// <summary>Keys that servers, or other processes, told of.</summary>
    public required long Pushes { get; init; }

    /// <summary>Of these, those that had a value here.</summary>
    public required long UsefulPushes { get; init; }

    /// <summary>The times that everything here was dropped: links made, flushes, slots lost.</summary>
    public required long Clears { get; init; }

    /// <summary>What holds less than is promised, and what the figures suggest to change; empty: nothing.</summary>
    public required IReadOnlyList<string> Advice { get; init; }
}
