using System.Runtime.CompilerServices;

namespace Cache.Testing;

/// <summary>Waits, for real, for what happens on other threads and nothing tells of.</summary>
internal static class Polling
{
    // What takes a millisecond may take seconds beside other tests; what never comes is to fail by its name, long
    // before the watch over tests that hang ends the process.
    internal static readonly TimeSpan Patience = TimeSpan.FromMinutes(2);

    private static readonly TimeSpan _pause = TimeSpan.FromMilliseconds(1);

    /// <summary>Waits while a condition is true.</summary>
    /// <exception cref="TimeoutException">It was still true after two minutes.</exception>
    public static async Task WhileAsync(
        Func<bool> condition, [CallerArgumentExpression(nameof(condition))] string text = "")
    {
        long start = TimeProvider.System.GetTimestamp();
        while (condition())
        {
            if (TimeProvider.System.GetElapsedTime(start) > Patience)
                throw new TimeoutException($"After {Patience.TotalSeconds} s it is still so: {text}");
            await Task.Delay(_pause, CancellationToken.None);
        }
    }
}
