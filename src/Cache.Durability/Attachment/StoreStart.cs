using Cache.Durability.Format;

namespace Cache.Durability.Attachment;

/// <summary>The options for starting a store with its directory.</summary>
internal sealed record StoreStart
{
    /// <summary>What to do with damaged or incomplete files.</summary>
    public RecoveryMode Recovery { get; init; }

    /// <summary>Whether threads write the journal; else the caller runs its steps.</summary>
    public bool HasThreads { get; init; } = true;

    /// <summary>Whether changes are recorded; else only snapshots are written.</summary>
    public bool IsRecording { get; init; } = true;

    /// <summary>Whether nothing is loaded: the directory is new, and the store may have entries already.</summary>
    public bool IsNew { get; init; }

    /// <summary>
    /// The suffix that the files get, which are then not loaded; null: they are.
    /// </summary>
    public string? IgnoredEnding { get; init; }

    /// <summary>Whether the loaded files are valid for this start only.</summary>
    public bool IsUsedOnce { get; init; }

    /// <summary>The longest downtime after which the loaded entries are kept; null: any.</summary>
    public TimeSpan? MaxAge { get; init; }

    /// <summary>The number of threads that load; 0: as the processors are.</summary>
    public int LoadThreads { get; init; }

    /// <summary>The bytes of blocks that one of them takes together: as many as the longest block has.</summary>
    public int LoadBatchBytes { get; init; } = BlockHeader.PayloadBytesMax;

    /// <summary>Receives the progress of the load.</summary>
    public LoadProgress Progress { get; init; } = new();
}
