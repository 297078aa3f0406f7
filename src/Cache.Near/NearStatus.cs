using System.Globalization;
using Cache.Near.Entries;
using Cache.Near.Links;

namespace Cache.Near;

/// <summary>The figures, and what they suggest.</summary>
internal static class NearStatus
{
    // Fewer say nothing yet.
    private const long CountMin = 1000;

    public static NearCacheStatus Of(NearContext context, NearEntries entries, NearLink[] links)
    {
        var counters = context.Counters;
        var statistics = entries.Statistics;
        var status = new NearCacheStatus
        {
            IsCoherent = context.IsTracked && NearTopology.AreLeased(links),
            Nodes = [.. links.Select(static link => link.Status)],
            Entries = entries.Count,
            MemoryBytes = statistics.MemoryBytes,
            Hits = statistics.Hits,
            Fills = counters.Fills,
            Joins = counters.Joins,
            Bypasses = counters.Bypasses,
            Outside = counters.Outside,
            Unreachable = counters.Unreachable,
            Pushes = counters.Pushes,
            UsefulPushes = counters.UsefulPushes,
            Clears = counters.Clears,
            Advice = [],
        };
        return status with { Advice = [.. AdviceOf(context.Options, status)] };
    }

    private static IEnumerable<string> AdviceOf(NearCacheOptions options, NearCacheStatus status)
    {
        var culture = CultureInfo.InvariantCulture;
        if (options.Coherence == NearCoherence.TimeOnly)
        {
            yield return string.Create(
                culture,
                $"Coherence is TimeOnly: a change of another process is not seen here before {options.MaximumAge}.");
        }

        bool isBroadcast = options is { Tracking: NearTracking.Broadcast, Coherence: NearCoherence.Tracking };
        if (isBroadcast && status.Pushes >= CountMin && status.UsefulPushes * 20 < status.Pushes)
        {
            yield return string.Create(
                culture,
                $"Of {status.Pushes} pushes {status.UsefulPushes} were of keys that are kept here: narrow KeyPrefixes,"
                + $" or set Tracking to PerKey.");
        }

        if (status.Fills >= CountMin && status.Outside * 10 > status.Fills)
        {
            yield return string.Create(
                culture,
                $"Of {status.Fills} reads of servers {status.Outside} were of keys with none of the KeyPrefixes, which"
                + $" are not kept here.");
        }

        if (status.Fills >= CountMin && status.Bypasses * 10 > status.Fills)
        {
            yield return string.Create(
                culture,
                $"{status.Bypasses} reads came while no heartbeat was answered within {options.StalenessBound}: look at"
                + $" LastFailure of the nodes.");
        }
    }
}
