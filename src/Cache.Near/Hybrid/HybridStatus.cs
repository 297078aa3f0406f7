using System.Globalization;
using Cache.Near.Links;

namespace Cache.Near.Hybrid;

/// <summary>The figures, and what they suggest.</summary>
internal static class HybridStatus
{
    // Fewer say nothing yet.
    private const long CountMin = 1000;

    public static HybridCoherenceStatus Of(
        NearContext context, NearLink[] links, HybridCoherenceOptions options, bool isProved, string? proofFailure)
    {
        var counters = context.Counters;
        var status = new HybridCoherenceStatus
        {
            IsCoherent = context.IsTracked && isProved && NearTopology.AreLeased(links),
            IsProved = isProved,
            LastProofFailure = proofFailure,
            Nodes = [.. links.Select(static link => link.Status)],
            Bypasses = counters.Bypasses,
            Pushes = counters.Pushes,
            UsefulPushes = counters.UsefulPushes,
            Clears = counters.Clears,
            Advice = [],
        };
        return status with { Advice = [.. AdviceOf(options, status)] };
    }

    private static IEnumerable<string> AdviceOf(HybridCoherenceOptions options, HybridCoherenceStatus status)
    {
        var culture = CultureInfo.InvariantCulture;
        if (options.Coherence == NearCoherence.TimeOnly)
        {
            yield return string.Create(
                culture,
                $"Coherence is TimeOnly: a change may not be seen here before {options.MaximumAge} has passed.");
        }

        if (!status.IsProved && status.LastProofFailure is { } failure)
            yield return failure;
        if (status.Pushes >= CountMin && status.UsefulPushes * 20 < status.Pushes)
        {
            yield return string.Create(
                culture,
                $"Of {status.Pushes} pushes {status.UsefulPushes} were of keys that had a value here: give this cache a"
                + $" second level with a KeyPrefix of its own.");
        }
    }
}
