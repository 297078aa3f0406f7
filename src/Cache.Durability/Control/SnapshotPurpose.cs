namespace Cache.Durability.Control;

/// <summary>Why a snapshot is written; the snapshot is the same.</summary>
internal enum SnapshotPurpose
{
    /// <summary>To save the entries.</summary>
    Save,

    /// <summary>To replace journals that have grown.</summary>
    Rewrite,
}
