namespace Cache.Durability.Catalog;

/// <summary>The state of the files, for the next start.</summary>
internal enum ManifestState
{
    /// <summary>A process writes them, or was killed while it did.</summary>
    Open,

    /// <summary>They were closed completely: the disk has lost whatever is missing.</summary>
    Clean,

    /// <summary>They could not be written any more: they lack later changes, deletions too.</summary>
    Suspended,

    /// <summary>
    /// They could not be written any more, and writes were refused since: they lack no more than after a crash.
    /// </summary>
    Refused,
}
