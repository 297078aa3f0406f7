using Cache.Durability.Staging;

namespace Cache.Durability.Journaling;

/// <summary>The options of a journal.</summary>
internal sealed record JournalOptions
{
    /// <summary>The sync policy; changed only by <see cref="Journal.ChangeSync"/>.</summary>
    public SyncPolicy Sync { get; set; } = SyncPolicy.EverySecond;

    /// <summary>The length of a file: long, so that few are created, but short enough to be reusable soon.</summary>
    public long FileBytes { get; init; } = 64 << 20;

    /// <summary>The chunks of the staging area.</summary>
    public int Chunks { get; init; } = StagingArea.ChunksMax;

    /// <summary>
    /// Whether writes are refused while the journal cannot be written; else they continue unrecorded.
    /// </summary>
    public bool RefusesWritesOnError { get; init; } = true;

    /// <summary>Whether a start refuses an incomplete end; else it truncates it.</summary>
    public bool RefusesCutEnds { get; init; }

    /// <summary>
    /// The folder, in memory, of staged records that outlive the process; null: they do not.
    /// </summary>
    public string? RingFolder { get; init; }

    /// <summary>
    /// Whether they lie there; else only those are read, and removed, that an earlier process has left.
    /// </summary>
    public bool KeepsRing { get; init; } = true;

    /// <summary>
    /// Whether snapshots are compressed; changed later by <see cref="Journal.CompressesSnapshots"/>.
    /// </summary>
    public bool CompressesSnapshots { get; init; }

    public TimeProvider Time { get; init; } = TimeProvider.System;
}
