namespace Cache.Durability.Control;

/// <summary>Why a snapshot is written; it is the same one.</summary>
internal enum SnapshotPurpose
{
    /// <summary>To have one.</summary>
    Save,

    /// <summary>To end journals that have grown.</summary>
    Rewrite,
}
