using System.Globalization;
using Cache.Near.Links;

namespace Cache.Near.Hybrid;

/// <summary>The figures, and what they suggest.</summary>
internal static class HybridStatus
{
    // Fewer say nothing yet.
    private const long CountMin = 1000;

    public static HybridCoherenceStatus Of(
        NearContext context, NearTopology topology, bool isProved, string? proofFailure)
    {
        var links = topology.Links;
        var counters = context.Counters;
        var status = new HybridCoherenceStatus
        {
            IsCoherent = context.IsTracked && isProved && NearTopology.AreLeased(links),
            IsProved = isProved,
            LastProofFailure = proofFailure,
            IsListening = topology.IsListening,
            Nodes = [.. links.Select(static link => link.Status)],
            Bypasses = counters.Bypasses,
            Pushes = counters.Pushes,
            UsefulPushes = counters.UsefulPushes,
            Clears = counters.Clears,
            Advice = [],
        };
        return status with { Advice = [.. NearStatus.OfLinks(context.Options, topology), .. AdviceOf(status)] };
    }

    private static IEnumerable<string> AdviceOf(HybridCoherenceStatus status)
    {
        if (!status.IsProved && status.LastProofFailure is { } failure)
            yield return failure;
        if (status.Pushes >= CountMin && status.UsefulPushes * 20 < status.Pushes)
        {
            yield return string.Create(
                CultureInfo.InvariantCulture,
                $"Of {status.Pushes} pushes {status.UsefulPushes} were of keys that had a value here: give this cache a"
                + $" second level with a KeyPrefix of its own.");
        }
    }
}
