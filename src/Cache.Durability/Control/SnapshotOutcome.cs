namespace Cache.Durability.Control;

/// <summary>What became of the snapshots of one purpose.</summary>
internal sealed record SnapshotOutcome
{
    /// <summary>How many became durable.</summary>
    public long Count { get; init; }

    /// <summary>How many failed since.</summary>
    public long Failures { get; init; }

    /// <summary>Why the last one failed; null: it did not.</summary>
    public Exception? Failure { get; init; }

    /// <summary>How long the last one took; negative: there was none.</summary>
    public TimeSpan Duration { get; init; } = TimeSpan.FromSeconds(-1);

    /// <summary>When the last one ended, in Unix milliseconds.</summary>
    public long EndedMs { get; init; }

    /// <summary>Whether one is wanted as soon as none is being written.</summary>
    public bool IsScheduled { get; init; }
}
