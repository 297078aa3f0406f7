using System.Diagnostics;
using System.Globalization;

namespace Cache.Concurrency.Tests.Torture;

/// <summary>How long a torture takes; the environment variable CACHE_TORTURE_SECONDS makes it longer.</summary>
internal static class TortureLength
{
    private const int SecondsDefault = 5;

    // A loaded machine gets more time until enough has happened.
    private static readonly TimeSpan _moreTime = TimeSpan.FromSeconds(45);

    public static TimeSpan Expected { get; } = TimeSpan.FromSeconds(
        double.TryParse(
            Environment.GetEnvironmentVariable("CACHE_TORTURE_SECONDS"), CultureInfo.InvariantCulture,
            out double seconds)
            ? seconds
            : SecondsDefault);

    /// <summary>Whether to go on: until the time has passed and enough has happened.</summary>
    public static bool GoesOn(long start, bool isEnough)
    {
        var elapsed = Stopwatch.GetElapsedTime(start);
        return elapsed < Expected || (!isEnough && elapsed < Expected + _moreTime);
    }
}
