using System.Diagnostics;

namespace Cache.Core.Sharding;

/// <summary>Tells a test of each step of looking for room, so that it can pause the thread there.</summary>
/// <remarks>Only debug builds call it, on cold paths alone, and never while the thread holds a bucket.</remarks>
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
