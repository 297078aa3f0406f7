namespace Cache.Durability;

/// <summary>When a snapshot is due: after a time with at least a number of changes.</summary>
/// <param name="Seconds">The time since the last snapshot, at least 1.</param>
/// <param name="Changes">The changes since the last snapshot.</param>
public readonly record struct SavePoint(int Seconds, int Changes);
