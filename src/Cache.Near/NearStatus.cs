using System.Globalization;
using Cache.Near.Entries;
using Cache.Near.Links;

namespace Cache.Near;

/// <summary>The figures, and what they suggest.</summary>
internal static class NearStatus
{
    // Fewer say nothing yet.
    private const long CountMin = 1000;

    public static NearCacheStatus Of(NearContext context, NearEntries entries, NearTopology topology)
    {
        var links = topology.Links;
        var counters = context.Counters;
        var statistics = entries.Statistics;
        var status = new NearCacheStatus
        {
            IsCoherent = context.IsTracked && NearTopology.AreLeased(links),
            IsListening = topology.IsListening,
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
        return status with { Advice = [.. AdviceOf(context.Options, topology, status)] };
    }

    /// <summary>What does not hold, for whatever a cache is near to.</summary>
    public static IEnumerable<string> OfLinks(NearCacheOptions options, NearTopology topology)
    {
        if (topology.LookFailure is { } reason)
            yield return $"No server could be asked who is a primary: {reason.Message}";
        if (options.Coherence != NearCoherence.TimeOnly)
            yield break;
        yield return string.Create(
            CultureInfo.InvariantCulture,
            $"Coherence is TimeOnly: a change may not be seen here before {options.MaximumAge} has passed.");
        if (topology.ListeningFailure is { } failure)
            yield return $"Processes do not hear of one another's writes, or did not always: {failure.Message}";
    }

    private static IEnumerable<string> AdviceOf(
        NearCacheOptions options, NearTopology topology, NearCacheStatus status)
    {
        var culture = CultureInfo.InvariantCulture;
        foreach (string advice in OfLinks(options, topology))
            yield return advice;

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
