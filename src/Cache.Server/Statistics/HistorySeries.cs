namespace Cache.Server.Statistics;

/// <summary>The series of the server's history.</summary>
internal static class HistorySeries
{
    /// <summary>The series, in the order of their values.</summary>
    public static IReadOnlyList<MetricSeries> All { get; } =
    [
        new("commands_per_second", IsRate: true), new("input_bytes_per_second", IsRate: true),
        new("output_bytes_per_second", IsRate: true), new("reads_per_second", IsRate: true),
        new("writes_per_second", IsRate: true), new("hits_per_second", IsRate: true),
        new("misses_per_second", IsRate: true), new("evictions_per_second", IsRate: true),
        new("expirations_per_second", IsRate: true), new("refused_writes_per_second", IsRate: true),
        new("errors_per_second", IsRate: true), new("connections_per_second", IsRate: true),
        new("rejected_connections_per_second", IsRate: true), new("limits_met_per_second", IsRate: true),
        new("refused_logins_per_second", IsRate: true), new("slow_calls_per_second", IsRate: true),
        new("large_requests_per_second", IsRate: true), new("large_replies_per_second", IsRate: true),
        new("cpu_user_percent", IsRate: true), new("cpu_system_percent", IsRate: true),
        new("gc_pause_ms_per_second", IsRate: true), new("gc_gen0_per_second", IsRate: true),
        new("gc_gen1_per_second", IsRate: true), new("gc_gen2_per_second", IsRate: true),
        new("allocated_bytes_per_second", IsRate: true), new("hit_percent"), new("latency_p50_usec"),
        new("latency_p99_usec"), new("latency_p999_usec"), new("latency_max_usec", IsMaximum: true), new("clients"),
        new("blocked_clients"), new("client_bytes"), new("keys"), new("expiring_keys"), new("compressed_keys"),
        new("used_bytes"), new("limit_bytes"), new("resident_bytes"), new("gc_heap_bytes"),
        new("thread_pool_threads"), new("thread_pool_queue"),
    ];

    /// <summary>The index of a series by its name; -1 if there is none.</summary>
    public static int IndexOf(string name)
    {
        for (int i = 0; i < All.Count; i++)
        {
            if (All[i].Name == name)
                return i;
        }

        return -1;
    }
}
