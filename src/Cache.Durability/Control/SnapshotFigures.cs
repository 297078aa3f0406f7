namespace Cache.Durability.Control;

/// <summary>The figures of a process's snapshots. Times are of the wall clock, in Unix milliseconds.</summary>
internal sealed record SnapshotFigures
{
    /// <summary>The purpose of the one being written; null: none is.</summary>
    public SnapshotPurpose? Running { get; init; }

    public long RunningSinceMs { get; init; }

    /// <summary>When the last one became durable; 0: none yet.</summary>
    public long LastMs { get; init; }

    public SnapshotOutcome Save { get; init; } = new();

    public SnapshotOutcome Rewrite { get; init; } = new();

    /// <summary>The counter of changes at the begin of the last durable one.</summary>
    public long ChangesAtLast { get; init; }

    public SnapshotOutcome Of(SnapshotPurpose purpose) => purpose == SnapshotPurpose.Save ? Save : Rewrite;
}
