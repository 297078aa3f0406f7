namespace Cache.Tool.Analysis;

/// <summary>What the last ten minutes say of a rule: the series that it is about.</summary>
internal static class Evidence
{
    /// <summary>The series of each rule of the doctor.</summary>
    public static IReadOnlyDictionary<string, string[]> Series { get; } = new Dictionary<string, string[]>
    {
        ["files"] = ["writes_per_second", "refused_writes_per_second"],
        ["refused-writes"] = ["refused_writes_per_second", "used_bytes"],
        ["rejected-clients"] = ["rejected_connections_per_second", "clients"],
        ["memory"] = ["resident_bytes", "used_bytes"],
        ["slow-reader"] = ["client_bytes", "output_bytes_per_second"],
        ["slow-command"] = ["latency_max_usec", "slow_calls_per_second"],
        ["heavy-key"] = ["output_bytes_per_second", "commands_per_second"],
        ["hot-key"] = ["commands_per_second", "latency_p99_usec"],
        ["gc"] = ["gc_pause_ms_per_second", "gc_heap_bytes"],
        ["thread-pool"] = ["thread_pool_queue", "thread_pool_threads"],
        ["processor"] = ["cpu_user_percent", "cpu_system_percent"],
        ["eviction-storm"] = ["evictions_per_second", "writes_per_second"],
        ["limit"] = ["hit_percent", "evictions_per_second"],
        ["idle-clients"] = ["clients"],
        ["clients"] = ["clients", "connections_per_second"],
        ["log-ins"] = ["refused_logins_per_second"],
        ["clock"] = [],
        ["loading"] = ["keys"],
    };

    /// <summary>The series of a rule that the history has.</summary>
    public static List<SeriesSummary> Of(string rule, History history)
    {
        var found = new List<SeriesSummary>();
        foreach (string name in Series.GetValueOrDefault(rule, []))
        {
            double[] values = history.Of(name);
            if (values.Length > 0)
                found.Add(new SeriesSummary(name, values));
        }

        return found;
    }
}
