using Cache.Server.Commands.Dispatch;
using Cache.Server.Scripts;
using Cache.Server.Settings;

namespace Cache.Server.Commands.Administration;

/// <summary>The section Memory of INFO.</summary>
internal static class InfoMemory
{
    public static void Append(InfoText text, ServerState server)
    {
        var figures = MemoryFigures.Of(server);
        text.AddMemory("used_memory", figures.UsedBytes);
        text.AddMemory("used_memory_rss", figures.ResidentBytes);
        text.AddMemory("used_memory_peak", figures.PeakBytes);
        text.Add("used_memory_peak_perc", figures.PeakPercent, "%");
        text.Add("used_memory_overhead", figures.OverheadBytes);
        text.Add("used_memory_startup", figures.StartBytes);
        text.Add("used_memory_dataset", figures.DatasetBytes);
        text.Add("used_memory_dataset_perc", figures.DatasetPercent, "%");
        // The store maps its memory from the system, without an allocator that could fragment it.
        text.AddEach(figures.UsedBytes, "allocator_allocated", "allocator_active", "allocator_resident");
        text.AddMemory("total_system_memory", Core.CacheOptions.AvailableMemoryBytes);
        AppendScripts(text, server.Scripts, server.Functions);
        text.AddMemory("maxmemory", figures.LimitBytes);
        text.Add("maxmemory_policy", EvictionPolicyName.Of(server.Store.Eviction, server.Settings.MaxMemoryPolicy));
        AppendCompression(text, server);
        AppendRatios(text, figures);
        text.Add("process_base_memory", figures.BaseBytes);
        text.Add("mem_fragmentation_ratio", figures.FragmentationRatio);
        text.Add("mem_fragmentation_bytes", figures.FragmentationBytes);
        text.AddEach(
            0, "mem_not_counted_for_evict", "mem_replication_backlog", "mem_total_replication_buffers",
            "mem_clients_slaves");
        text.Add("mem_clients_normal", figures.ClientBytes);
        text.Add("maxmemory_clients", server.ClientMemory.LimitBytes);
        text.AddEach(0, "mem_cluster_links", "mem_aof_buffer");
        text.Add("mem_allocator", "mmap");
        text.AddEach(0, "active_defrag_running", "lazyfree_pending_objects", "lazyfreed_objects");
    }

    private static void AppendCompression(InfoText text, ServerState server)
    {
        var store = server.Store.GetStatistics();
        text.Add("compressed_keys", store.CompressedCount);
        text.Add("compressed_value_bytes", store.CompressedValueBytes);
        text.Add("compressed_bytes", store.CompressedBytes);
        text.Add("compression_tries", store.CompressionTries);
    }

    private static void AppendRatios(InfoText text, MemoryFigures figures)
    {
        text.Add("allocator_frag_ratio", 1.0);
        text.Add("allocator_frag_bytes", 0);
        text.Add("allocator_rss_ratio", 1.0);
        text.Add("allocator_rss_bytes", 0);
        text.Add("rss_overhead_ratio", figures.OverheadRatio);
        text.Add("rss_overhead_bytes", figures.ResidentBytes - figures.UsedBytes);
    }

    // Scripts and functions have one interpreter.
    private static void AppendScripts(InfoText text, ServerScripts? scripts, ServerFunctions? functions)
    {
        long interpreter = scripts?.InterpreterBytes ?? 0;
        long texts = scripts?.Bytes ?? 0;
        text.AddEach(interpreter, "used_memory_lua", "used_memory_vm_eval");
        text.Add("used_memory_lua_human", MemorySize.ToHuman(interpreter));
        text.Add("used_memory_scripts_eval", texts);
        text.Add("number_of_cached_scripts", scripts?.Count ?? 0);
        text.Add("number_of_functions", functions?.Table.FunctionCount ?? 0);
        text.Add("number_of_libraries", functions?.Table.Libraries.Count ?? 0);
        text.Add("used_memory_vm_functions", 0);
        text.AddMemory("used_memory_vm_total", interpreter);
        long functionTexts = functions?.Bytes ?? 0;
        text.Add("used_memory_functions", functionTexts);
        text.AddMemory("used_memory_scripts", texts + functionTexts);
    }
}
