using System.Runtime;
using System.Text.Json;

namespace Cache.Server.Package;

/// <summary>The garbage collector and the thread pool.</summary>
internal static class PackageRuntime
{
    public static void Write(Utf8JsonWriter json)
    {
        json.WriteStartObject();
        WriteCollector(json);
        json.WriteStartObject("thread-pool");
        ThreadPool.GetMinThreads(out int workersMin, out _);
        ThreadPool.GetMaxThreads(out int workersMax, out _);
        json.WriteNumber("threads", ThreadPool.ThreadCount);
        json.WriteNumber("threads-min", workersMin);
        json.WriteNumber("threads-max", workersMax);
        json.WriteNumber("queue", ThreadPool.PendingWorkItemCount);
        json.WriteNumber("completed", ThreadPool.CompletedWorkItemCount);
        json.WriteEndObject();
        json.WriteEndObject();
    }

    private static void WriteCollector(Utf8JsonWriter json)
    {
        var last = GC.GetGCMemoryInfo(GCKind.Any);
        json.WriteStartObject("gc");
        json.WriteBoolean("server", GCSettings.IsServerGC);
        json.WriteString("latency-mode", GCSettings.LatencyMode.ToString());
        json.WriteStartArray("collections");
        for (int i = 0; i <= GC.MaxGeneration; i++)
            json.WriteNumberValue(GC.CollectionCount(i));
        json.WriteEndArray();
        json.WriteNumber("pause-ms", GC.GetTotalPauseDuration().TotalMilliseconds);
        json.WriteNumber("pause-percent", last.PauseTimePercentage);
        json.WriteNumber("allocated-bytes", GC.GetTotalAllocatedBytes());
        json.WriteNumber("heap-bytes", last.HeapSizeBytes);
        json.WriteNumber("fragmented-bytes", last.FragmentedBytes);
        json.WriteNumber("committed-bytes", last.TotalCommittedBytes);
        json.WriteNumber("available-bytes", last.TotalAvailableMemoryBytes);
        json.WriteNumber("load-bytes", last.MemoryLoadBytes);
        json.WriteNumber("high-load-bytes", last.HighMemoryLoadThresholdBytes);
        json.WriteNumber("pinned-objects", last.PinnedObjectsCount);
        json.WriteEndObject();
    }
}
