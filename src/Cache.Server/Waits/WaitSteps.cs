using System.Diagnostics;

namespace Cache.Server.Waits;

/// <summary>Tells a test of each step of waiting and serving, so that it can pause the thread there.</summary>
/// <remarks>Only debug builds call it; never while the gate is held.</remarks>
internal static class WaitSteps
{
    // Of the calling thread alone: tests run beside each other.
    [ThreadStatic]
    private static Action? _observer;

    public static void Observe(Action? observer) => _observer = observer;

    [Conditional("DEBUG")]
    public static void Pass() => _observer?.Invoke();
}
