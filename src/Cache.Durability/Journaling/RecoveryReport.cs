using Cache.Durability.Recovery;

namespace Cache.Durability.Journaling;

/// <summary>What a start has found.</summary>
/// <param name="Blocks">The blocks that were read.</param>
/// <param name="Tail">The end that was cut; null if there was none.</param>
/// <param name="Gaps">What was damaged and skipped.</param>
/// <param name="WasSuspended">Whether the last process could not write its last changes.</param>
/// <param name="IsEmpty">Whether nothing was read, because of that.</param>
internal sealed record RecoveryReport(
    long Blocks, TornTail? Tail, IReadOnlyList<Gap> Gaps, bool WasSuspended, bool IsEmpty);
