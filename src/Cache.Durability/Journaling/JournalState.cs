namespace Cache.Durability.Journaling;

/// <summary>Whether changes are recorded.</summary>
internal enum JournalState
{
    Writing,

    /// <summary>A file could not be written: nothing is recorded until new files contain everything.</summary>
    Suspended,

    /// <summary>New files are being written, with a snapshot.</summary>
    Resuming,

    Closed,
}
