namespace Cache.Server.Statistics;

/// <summary>The causes of latency events besides commands.</summary>
internal static class LatencyCauses
{
    /// <summary>The runtime stopped all threads to collect garbage.</summary>
    public const string CollectorPause = "gc-pause";

    /// <summary>A write waited for memory, while entries were evicted for it.</summary>
    public const string Eviction = "eviction";

    /// <summary>A loop came late to the clients that waited for their turn.</summary>
    public const string Loop = "event-loop";

    /// <summary>The thread pool began late with what was due.</summary>
    public const string ThreadPool = "thread-pool";
}
