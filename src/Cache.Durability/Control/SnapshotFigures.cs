namespace Cache.Durability.Control;

/// <summary>What is known of the snapshots of a process. Times are of the wall clock, in Unix milliseconds.</summary>
internal sealed record SnapshotFigures
{
    /// <summary>Why one is being written; null: none is.</summary>
    public SnapshotPurpose? Running { get; init; }

    public long RunningSinceMs { get; init; }

    /// <summary>When the last one became durable; 0: none did.</summary>
    public long LastMs { get; init; }

    public SnapshotOutcome Save { get; init; } = new();

    public SnapshotOutcome Rewrite { get; init; } = new();

    /// <summary>What the counter of changes said when the last one was begun that became durable.</summary>
    public long ChangesAtLast { get; init; }

    public SnapshotOutcome Of(SnapshotPurpose purpose) => purpose == SnapshotPurpose.Save ? Save : Rewrite;
}
