using Cache.Durability.Staging;

namespace Cache.Durability.Journaling;

/// <summary>How a journal is written.</summary>
internal sealed record JournalOptions
{
    /// <summary>Changed by <see cref="Journal.ChangeSync"/> alone.</summary>
    public SyncPolicy Sync { get; set; } = SyncPolicy.EverySecond;

    /// <summary>The length of a file: so long that few are made, so short that one is soon free again.</summary>
    public long FileBytes { get; init; } = 64 << 20;

    /// <summary>The chunks of the staging area.</summary>
    public int Chunks { get; init; } = StagingArea.ChunksMax;

    /// <summary>Whether writes are refused while the journal cannot be written; else they go on unrecorded.</summary>
    public bool RefusesWritesOnError { get; init; } = true;

    /// <summary>Whether an end that is not whole is refused by a start; else it is cut.</summary>
    public bool RefusesCutEnds { get; init; }

    public TimeProvider Time { get; init; } = TimeProvider.System;
}
