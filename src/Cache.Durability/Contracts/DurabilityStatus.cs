namespace Cache.Durability;

/// <summary>How a store and its files are doing, as of one moment.</summary>
public sealed record DurabilityStatus
{
    /// <summary>What survives, as it is set now.</summary>
    public required DurabilityMode Mode { get; init; }

    /// <summary>Whether files are being loaded, so that the store is not whole yet.</summary>
    public bool IsLoading { get; init; }

    /// <summary>What a load has read of <see cref="LoadTotalBytes"/>.</summary>
    public long LoadedBytes { get; init; }

    /// <summary>What the files of a load have.</summary>
    public long LoadTotalBytes { get; init; }

    /// <summary>The records that the start has loaded.</summary>
    public long LoadedRecords { get; init; }

    /// <summary>What the start found that is worth a look, in sentences: cut ends, skipped damage.</summary>
    public IReadOnlyList<string> StartNotes { get; init; } = [];

    /// <summary>
    /// Why changes are not recorded: a file could not be written. New files are tried every ten seconds. Null: nothing
    /// is wrong.
    /// </summary>
    public string? SuspendedBecause { get; init; }

    /// <summary>The changes since the last snapshot.</summary>
    public long ChangesSinceSave { get; init; }

    /// <summary>Whether a snapshot is being written.</summary>
    public bool IsSaving { get; init; }

    /// <summary>When the last snapshot became durable; null: none by this process.</summary>
    public DateTimeOffset? LastSave { get; init; }

    /// <summary>Why the last snapshot was not written; null: it was, or there was none.</summary>
    public string? SaveFailedBecause { get; init; }

    /// <summary>The snapshots that this process has written, for whatever reason.</summary>
    public long Snapshots { get; init; }

    /// <summary>How often the journal could not be written.</summary>
    public long Suspensions { get; init; }

    /// <summary>The bytes of the journal since the last snapshot.</summary>
    public long JournalBytes { get; init; }

    /// <summary>The bytes of the last snapshot.</summary>
    public long SnapshotBytes { get; init; }
}
