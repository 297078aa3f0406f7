namespace Cache.Durability;

/// <summary>The state of a store's files at one moment.</summary>
public sealed record DurabilityStatus
{
    /// <summary>The present mode.</summary>
    public required DurabilityMode Mode { get; init; }

    /// <summary>Whether files are being loaded, so that the store is incomplete.</summary>
    public bool IsLoading { get; init; }

    /// <summary>The bytes of <see cref="LoadTotalBytes"/> that a load has read.</summary>
    public long LoadedBytes { get; init; }

    /// <summary>The bytes of all files of a load.</summary>
    public long LoadTotalBytes { get; init; }

    /// <summary>The number of records that the start has loaded.</summary>
    public long LoadedRecords { get; init; }

    /// <summary>Unusual findings of the start, in sentences: truncated ends, skipped damage.</summary>
    public IReadOnlyList<string> StartNotes { get; init; } = [];

    /// <summary>
    /// Why changes are not recorded: a file could not be written. New files are tried every ten seconds. Null: no
    /// error.
    /// </summary>
    public string? SuspendedBecause { get; init; }

    /// <summary>The number of changes since the last snapshot.</summary>
    public long ChangesSinceSave { get; init; }

    /// <summary>Whether a snapshot is being written.</summary>
    public bool IsSaving { get; init; }

    /// <summary>When the last snapshot became durable; null: none by this process.</summary>
    public DateTimeOffset? LastSave { get; init; }

    /// <summary>The error of the last snapshot; null: it was written, or there was none.</summary>
    public string? SaveFailedBecause { get; init; }

    /// <summary>The error of the stop, which has not written everything; null: it has, or has not run yet.</summary>
    public string? StopFailedBecause { get; init; }

    /// <summary>The number of snapshots that this process has written, for any reason.</summary>
    public long Snapshots { get; init; }

    /// <summary>The number of times that the journal could not be written.</summary>
    public long Suspensions { get; init; }

    /// <summary>The bytes of the journal since the last snapshot.</summary>
    public long JournalBytes { get; init; }

    /// <summary>The bytes of the last snapshot.</summary>
    public long SnapshotBytes { get; init; }
}
