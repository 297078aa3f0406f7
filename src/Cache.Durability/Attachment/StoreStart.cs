namespace Cache.Durability.Attachment;

/// <summary>How a store begins with its directory.</summary>
internal sealed record StoreStart
{
    /// <summary>What is done with files that do not tell everything.</summary>
    public RecoveryMode Recovery { get; init; }

    /// <summary>Whether threads write the journal; else the caller takes its steps.</summary>
    public bool HasThreads { get; init; } = true;

    /// <summary>Whether changes are recorded; else snapshots alone are written.</summary>
    public bool IsRecording { get; init; } = true;

    /// <summary>Whether nothing is loaded: the directory is new, the store may hold entries that no file has.</summary>
    public bool IsNew { get; init; }

    /// <summary>Whether what was loaded counts for this start alone.</summary>
    public bool IsUsedOnce { get; init; }

    /// <summary>The longest downtime after which what was loaded is kept; null: any.</summary>
    public TimeSpan? MaxAge { get; init; }

    /// <summary>Shows how far the load is.</summary>
    public LoadProgress Progress { get; init; } = new();
}
