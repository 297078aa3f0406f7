using Cache.Durability.Recovery;

namespace Cache.Durability.Journaling;

/// <summary>The findings of a start.</summary>
/// <param name="Blocks">The number of read blocks.</param>
/// <param name="Tail">The truncated end; null if there was none.</param>
/// <param name="Gaps">The damaged blocks that were skipped.</param>
/// <param name="WasSuspended">Whether the last process could not write its last changes.</param>
/// <param name="WasRefused">Whether it could not write them, but has refused them: new files must follow.</param>
/// <param name="IsEmpty">Whether nothing was read since changes are missing.</param>
internal sealed record RecoveryReport(
    long Blocks, TornTail? Tail, IReadOnlyList<Gap> Gaps, bool WasSuspended, bool WasRefused,
    bool IsEmpty)
{
    /// <summary>The bytes of records that the killed process had not written.</summary>
    public long RescuedBytes { get; init; }

    /// <summary>Why staged records end with the process; null: they outlive it, or need not.</summary>
    public string? RingProblem { get; init; }
}
