using Cache.Server.Clients;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Settings;

namespace Cache.Server.Commands.Administration;

/// <summary>The section Memory of INFO.</summary>
/// <remarks>
/// <c>used_memory</c> is the memory that the store counts, clients included, and that <c>maxmemory</c> bounds. The
/// process needs more for the runtime, code and objects: the resident memory when the server started, less the store's
/// at that time. So fragmentation compares resident memory with the store and this base, not with the store alone,
/// which may have a few kilobytes.
/// </remarks>
internal static class InfoMemory
{
    public static void Append(InfoText text, ServerState server)
    {
        var store = server.Store.GetStatistics();
        long residentBytes = Environment.WorkingSet;
        long clientBytes = server.ClientMemory.Bytes;
        long overheadBytes = Math.Min(store.MemoryBytes, server.StoreBytesAtStart + clientBytes);
        long datasetBytes = store.MemoryBytes - overheadBytes;
        long withoutStartBytes = Math.Max(1, store.MemoryBytes - server.StoreBytesAtStart);
        long peakBytes = Math.Max(1, store.MemoryPeakBytes);
        long expectedBytes = Math.Max(1, store.MemoryBytes + server.ProcessBaseBytes);

        text.AddMemory("used_memory", store.MemoryBytes);
        text.AddMemory("used_memory_rss", residentBytes);
        text.AddMemory("used_memory_peak", store.MemoryPeakBytes);
        text.Add("used_memory_peak_perc", 100.0 * store.MemoryBytes / peakBytes, "%");
        text.Add("used_memory_overhead", overheadBytes);
        text.Add("used_memory_startup", server.StoreBytesAtStart);
        text.Add("used_memory_dataset", datasetBytes);
        text.Add("used_memory_dataset_perc", Math.Min(100, 100.0 * datasetBytes / withoutStartBytes), "%");
        text.AddMemory("total_system_memory", Core.CacheOptions.AvailableMemoryBytes);
        AppendScripts(text);
        text.AddMemory("maxmemory", store.MemoryLimitBytes);
        text.Add("maxmemory_policy", EvictionPolicyName.Of(server.Store.Eviction, server.Settings.MaxMemoryPolicy));
        text.Add("compressed_keys", store.CompressedCount);
        text.Add("compressed_value_bytes", store.CompressedValueBytes);
        text.Add("compressed_bytes", store.CompressedBytes);
        text.Add("compression_tries", store.CompressionTries);
        text.Add("process_base_memory", server.ProcessBaseBytes);
        text.Add("mem_fragmentation_ratio", residentBytes / (double)expectedBytes);
        text.Add("mem_fragmentation_bytes", residentBytes - expectedBytes);
        text.AddEach(
            0, "mem_not_counted_for_evict", "mem_replication_backlog", "mem_total_replication_buffers",
            "mem_clients_slaves");
        text.Add("mem_clients_normal", clientBytes);
        text.Add("maxmemory_clients", server.ClientMemory.LimitBytes);
        text.AddEach(0, "mem_cluster_links", "mem_aof_buffer");
        text.Add("mem_allocator", "mmap");
        text.AddEach(0, "active_defrag_running", "lazyfree_pending_objects", "lazyfreed_objects");
    }

    // There are none.
    private static void AppendScripts(InfoText text)
    {
        text.AddEach(0, "used_memory_lua", "used_memory_vm_eval");
        text.Add("used_memory_lua_human", "0B");
        text.AddEach(
            0, "used_memory_scripts_eval", "number_of_cached_scripts", "number_of_functions", "number_of_libraries",
            "used_memory_vm_functions");
        text.AddMemory("used_memory_vm_total", 0);
        text.Add("used_memory_functions", 0);
        text.AddMemory("used_memory_scripts", 0);
    }
}
