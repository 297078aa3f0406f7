namespace Cache.Near;

/// <summary>The figures of a near cache at one moment, counted since it was made.</summary>
public sealed record NearCacheStatus
{
    /// <summary>Whether local entries of all known primaries count now.</summary>
    public required bool IsCoherent { get; init; }

    /// <summary>
    /// Whether other processes' own writes are heard of, where <see cref="NearCoherence.TimeOnly"/> was chosen.
    /// </summary>
    public required bool IsListening { get; init; }

    /// <summary>The primaries.</summary>
    public required IReadOnlyList<NearNodeStatus> Nodes { get; init; }

    /// <summary>The number of local entries.</summary>
    public required long Entries { get; init; }

    /// <summary>The memory of the local entries in bytes.</summary>
    public required long MemoryBytes { get; init; }

    /// <summary>Reads that were answered here.</summary>
    public required long Hits { get; init; }

    /// <summary>Reads that were answered by a server.</summary>
    public required long Fills { get; init; }

    /// <summary>Reads that joined a read of the same key under way.</summary>
    public required long Joins { get; init; }

    /// <summary>Reads that could not count what is here, since no heartbeat was answered in time.</summary>
    public required long Bypasses { get; init; }

    /// <summary>Reads of keys with none of the prefixes.</summary>
    public required long Outside { get; init; }

    /// <summary>Reads that no server could answer.</summary>
    public required long Unreachable { get; init; }

    /// <summary>Keys that servers told of, or other processes.</summary>
    public required long Pushes { get; init; }

    /// <summary>Of these, those that were kept here.</summary>
    public required long UsefulPushes { get; init; }

    /// <summary>The times that a primary's entries were dropped: links made, flushes, slots lost.</summary>
    public required long Clears { get; init; }

    /// <summary>What the figures suggest to change; empty: nothing.</summary>
    public required IReadOnlyList<string> Advice { get; init; }
}
