namespace Cache.Durability;

/// <summary>Which entries of a store survive its process.</summary>
public enum DurabilityMode
{
    /// <summary>Nothing; no file is read or written.</summary>
    Off = 0,

    /// <summary>
    /// The entries at a clean stop. The next start loads them once: after a crash, a start begins empty.
    /// </summary>
    Restart = 1,

    /// <summary>
    /// The entries at the last snapshot. Snapshots are written after a number of changes within a time, and at a clean
    /// stop. A start after a crash loses later changes, deletions too.
    /// </summary>
    Snapshot = 2,

    /// <summary>Every change, as far as <see cref="DurabilityOptions.Sync"/> promises.</summary>
    Journal = 3,
}
