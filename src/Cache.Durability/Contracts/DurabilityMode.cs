namespace Cache.Durability;

/// <summary>What of a store survives its process.</summary>
public enum DurabilityMode
{
    /// <summary>Nothing; no file is read or written.</summary>
    Off = 0,

    /// <summary>
    /// What it holds at a clean stop. The next start takes it once: after a crash the one that follows begins empty.
    /// </summary>
    Restart = 1,

    /// <summary>
    /// What it held at the last snapshot: one is written after so many changes in so much time, and at a clean stop.
    /// A start after a crash loses what came later, deletions too.
    /// </summary>
    Snapshot = 2,

    /// <summary>Every change, as far as <see cref="DurabilityOptions.Sync"/> promises.</summary>
    Journal = 3,
}
