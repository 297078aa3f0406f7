using System.Diagnostics;

namespace Cache.Core.Sharding;

/// <summary>Tells a test of each step of looking for room, so that it can pause the thread there.</summary>
/// <remarks>
/// Only debug builds call it. A thread may be paused while it holds a bucket, a claim or the reclaimer's gate: who
/// waits for one of these tells of that too. It is never paused while it holds another lock.
/// </remarks>
internal static class RoomSteps
{
    // Of the calling thread alone: tests run beside each other.
    [ThreadStatic]
    private static Action<RoomStep>? _observer;

    public static bool IsObserved => _observer is not null;

    public static void Observe(Action<RoomStep>? observer) => _observer = observer;

    [Conditional("DEBUG")]
    public static void At(RoomStep step) => _observer?.Invoke(step);
}
