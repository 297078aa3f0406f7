using System.Collections.Concurrent;
using System.Diagnostics;
using System.Reflection;
using Xunit.v3;

namespace Cache.Testing;

/// <summary>Ends the process where a test does not end, and names it: the run as a whole would say nothing.</summary>
/// <remarks>
/// Every test project has this file and the attribute, by <c>eng/Test.props</c>. Only in CI, which sets that variable:
/// by hand tests may be asked to run for an hour.
/// </remarks>
[AttributeUsage(AttributeTargets.Assembly)]
internal sealed class HangWatchAttribute : BeforeAfterTestAttribute
{
    /// <summary>
    /// Several times what the longest test takes on a machine whose two processors others use too; with checked memory
    /// on slow processors one has taken five minutes.
    /// </summary>
    private static readonly TimeSpan _longestTest = TimeSpan.FromMinutes(10);

    /// <summary>When each test that runs began, by <see cref="Stopwatch.GetTimestamp"/>.</summary>
    private static readonly ConcurrentDictionary<IXunitTest, long> _begun = new();

    /// <summary>When the last of the tests that ended did so.</summary>
    private static long _lastEnd = Stopwatch.GetTimestamp();

    private static readonly Timer? _watch = Environment.GetEnvironmentVariable("CI") is null
        ? null
        : new Timer(static _ => EndIfHung(), null, _longestTest, TimeSpan.FromSeconds(10));

    public override void Before(MethodInfo methodUnderTest, IXunitTest test) =>
        _begun[test] = Stopwatch.GetTimestamp();

    public override void After(MethodInfo methodUnderTest, IXunitTest test)
    {
        Volatile.Write(ref _lastEnd, Stopwatch.GetTimestamp());
        _begun.TryRemove(test, out _);
    }

    private static void EndIfHung()
    {
        var running = _begun.ToArray();
        var tooLong = running.Where(static test => IsTooLongAgo(test.Value)).ToList();
        if (tooLong.Count > 0)
        {
            string names = string.Join(", ", tooLong.Select(static test => test.Key.TestDisplayName));
            Fail($"these tests do not end: {names}");
        }

        if (running.Length == 0 && IsTooLongAgo(Volatile.Read(ref _lastEnd)))
            Fail("all tests ended, but not the process: one of them left a thread");
    }

    private static bool IsTooLongAgo(long timestamp) => Stopwatch.GetElapsedTime(timestamp) > _longestTest;

    private static void Fail(string reason) =>
        Environment.FailFast($"Ended after {_longestTest.TotalMinutes} minutes: {reason}.");
}
