using System.Diagnostics;
using System.Globalization;

namespace Cache.Reliability.Tests.Fuzz;

/// <summary>How much is fuzzed: so many requests, or, by the environment, so many minutes.</summary>
/// <param name="requests">The requests.</param>
/// <param name="share">The part of the minutes that is meant.</param>
internal sealed class FuzzBudget(long requests, double share = 1)
{
    public const string MinutesVariable = "CACHE_FUZZ_MINUTES";

    private static readonly double _minutes =
        double.TryParse(
            Environment.GetEnvironmentVariable(MinutesVariable), CultureInfo.InvariantCulture, out double minutes)
            ? minutes
            : 0;

    private readonly long _start = Stopwatch.GetTimestamp();
    private long _done;

    public long Done => Volatile.Read(ref _done);

    public bool IsSpent => _minutes > 0
        ? Stopwatch.GetElapsedTime(_start).TotalMinutes >= _minutes * share
        : Done >= requests;

    public void Add(int count) => Interlocked.Add(ref _done, count);
}
