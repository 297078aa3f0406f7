namespace Cache.Durability.Catalog;

/// <summary>What a start may expect of the files.</summary>
internal enum ManifestState
{
    /// <summary>A process writes them, or was killed while it did.</summary>
    Open,

    /// <summary>They were closed with everything in them: whatever is missing was lost by the disk.</summary>
    Clean,

    /// <summary>They could not be written any more: later changes, deletions too, are not in them.</summary>
    Suspended,
}
