namespace Cache.Server.Statistics;

/// <summary>The causes of latency events besides commands.</summary>
internal static class LatencyCauses
{
    /// <summary>The runtime stopped all threads to collect garbage.</summary>
    public const string CollectorPause = "gc-pause";
}
