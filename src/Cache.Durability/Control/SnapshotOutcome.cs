namespace Cache.Durability.Control;

/// <summary>The outcomes of the snapshots with one purpose.</summary>
internal sealed record SnapshotOutcome
{
    /// <summary>The number that became durable.</summary>
    public long Count { get; init; }

    /// <summary>The number that failed since then.</summary>
    public long Failures { get; init; }

    /// <summary>The error of the last one; null: it succeeded.</summary>
    public Exception? Failure { get; init; }

    /// <summary>The duration of the last one; negative: there was none.</summary>
    public TimeSpan Duration { get; init; } = TimeSpan.FromSeconds(-1);

    /// <summary>When the last one ended, in Unix milliseconds.</summary>
    public long EndedMs { get; init; }

    /// <summary>Whether one is wanted as soon as none is being written.</summary>
    public bool IsScheduled { get; init; }
}
