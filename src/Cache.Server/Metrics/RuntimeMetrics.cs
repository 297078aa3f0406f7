using System.Globalization;

namespace Cache.Server.Metrics;

/// <summary>Metrics of the process: the runtime's heap, its collections, its thread pool.</summary>
internal static class RuntimeMetrics
{
    /// <summary>What the managed heap has of the system; before the first collection, what it has in use.</summary>
    public static long HeapCommittedBytes =>
        Math.Max(GC.GetGCMemoryInfo(GCKind.Any).TotalCommittedBytes, GC.GetTotalMemory(forceFullCollection: false));

    public static void Write(PrometheusWriter writer)
    {
        writer.One(
            "cache_gc_heap_bytes", MetricKind.Gauge, "Objects on the managed heap, dead ones too.",
            GC.GetTotalMemory(forceFullCollection: false));
        writer.One(
            "cache_gc_committed_bytes", MetricKind.Gauge, "Memory that the managed heap has of the system.",
            HeapCommittedBytes);
        writer.One(
            "cache_gc_pause_seconds_total", MetricKind.Counter, "How long collections have stopped all threads.",
            GC.GetTotalPauseDuration().TotalSeconds);
        writer.Begin("cache_gc_collections_total", MetricKind.Counter, "Collections by generation.");
        for (int i = 0; i <= GC.MaxGeneration; i++)
        {
            writer.Sample(
                GC.CollectionCount(i), new MetricLabel("generation", i.ToString(CultureInfo.InvariantCulture)));
        }

        writer.One(
            "cache_threadpool_threads", MetricKind.Gauge, "Threads of the thread pool.", ThreadPool.ThreadCount);
        writer.One(
            "cache_threadpool_queue_length", MetricKind.Gauge, "Work that waits for one of them.",
            ThreadPool.PendingWorkItemCount);
    }
}
