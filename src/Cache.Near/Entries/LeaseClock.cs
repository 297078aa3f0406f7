using System.Diagnostics.CodeAnalysis;

namespace Cache.Near.Entries;

/// <summary>The monotonic clock that leases are compared with, in milliseconds.</summary>
/// <remarks>
/// Not a clock that a thread of ours advances: after the process was suspended it would tell a time that has passed,
/// and a lease would seem to hold. The system's coarse one costs a few nanoseconds.
/// </remarks>
/// <param name="read">Another clock, of a test; null: the system's.</param>
internal sealed class LeaseClock(Func<long>? read)
{
    /// <summary>Milliseconds since some moment.</summary>
    [SuppressMessage("ApiDesign", "RS0030", Justification = "TimeProvider has no coarse clock; each hit reads it.")]
    public long NowMs => read is null ? Environment.TickCount64 : read();
}
