namespace Cache.Server.Metrics;

/// <summary>Which fields of INFO are which metrics, under the names of redis_exporter.</summary>
/// <remarks>
/// So dashboards that were made for redis_exporter work unchanged. A field that the exporter does not know, since only
/// this server has it, begins with cache_.
/// </remarks>
internal static class InfoMetrics
{
    private const double Microsecond = 1e-6;

    /// <summary>The metrics of single fields.</summary>
    public static IReadOnlyList<InfoMetric> All { get; } =
    [
        Gauge("uptime_in_seconds", "redis_uptime_in_seconds"),
        Gauge("process_id", "redis_process_id"),
        Gauge("io_threads_active", "redis_io_threads_active"),
        Gauge("connected_clients", "redis_connected_clients"),
        Gauge("maxclients", "redis_max_clients"),
        Gauge("blocked_clients", "redis_blocked_clients"),
        Gauge("tracking_clients", "redis_tracking_clients"),
        Gauge("clients_in_timeout_table", "redis_clients_in_timeout_table"),
        Gauge("pubsub_clients", "redis_pubsub_clients"),
        Gauge("watching_clients", "redis_watching_clients"),
        Gauge("total_watched_keys", "redis_total_watched_keys"),
        Gauge("total_blocking_keys", "redis_total_blocking_keys"),
        Gauge("transacting_clients", "cache_transacting_clients") with
        {
            Help = "Clients that have sent MULTI, and not yet EXEC.",
        },
        Gauge("cluster_connections", "redis_cluster_connections"),
        Gauge("client_recent_max_input_buffer", "redis_client_recent_max_input_buffer_bytes"),
        Gauge("client_recent_max_output_buffer", "redis_client_recent_max_output_buffer_bytes"),
        Gauge("used_memory", "redis_memory_used_bytes"),
        Gauge("used_memory_rss", "redis_memory_used_rss_bytes"),
        Gauge("used_memory_peak", "redis_memory_used_peak_bytes"),
        Gauge("used_memory_overhead", "redis_memory_used_overhead_bytes"),
        Gauge("used_memory_startup", "redis_memory_used_startup_bytes"),
        Gauge("used_memory_dataset", "redis_memory_used_dataset_bytes"),
        Gauge("used_memory_lua", "redis_memory_used_lua_bytes"),
        Gauge("used_memory_scripts", "redis_memory_used_scripts_bytes"),
        Gauge("maxmemory", "redis_memory_max_bytes"),
        Gauge("total_system_memory", "redis_total_system_memory_bytes"),
        Gauge("mem_fragmentation_ratio", "redis_mem_fragmentation_ratio"),
        // The name of the exporter's first releases, which the most downloaded dashboards still ask for.
        Gauge("mem_fragmentation_ratio", "redis_memory_fragmentation_ratio"),
        Gauge("mem_fragmentation_bytes", "redis_mem_fragmentation_bytes"),
        Gauge("mem_clients_normal", "redis_mem_clients_normal"),
        Gauge("mem_clients_slaves", "redis_mem_clients_slaves"),
        Gauge("mem_not_counted_for_evict", "redis_mem_not_counted_for_eviction_bytes"),
        Gauge("allocator_active", "redis_allocator_active_bytes"),
        Gauge("allocator_allocated", "redis_allocator_allocated_bytes"),
        Gauge("allocator_resident", "redis_allocator_resident_bytes"),
        Gauge("allocator_frag_ratio", "redis_allocator_frag_ratio"),
        Gauge("allocator_frag_bytes", "redis_allocator_frag_bytes"),
        Gauge("allocator_rss_ratio", "redis_allocator_rss_ratio"),
        Gauge("allocator_rss_bytes", "redis_allocator_rss_bytes"),
        Gauge("lazyfree_pending_objects", "redis_lazyfree_pending_objects"),
        Gauge("active_defrag_running", "redis_active_defrag_running"),
        Gauge("loading", "redis_loading_dump_file"),
        Gauge("rdb_changes_since_last_save", "redis_rdb_changes_since_last_save"),
        Gauge("rdb_bgsave_in_progress", "redis_rdb_bgsave_in_progress"),
        Gauge("rdb_last_save_time", "redis_rdb_last_save_timestamp_seconds"),
        Gauge("rdb_last_bgsave_status", "redis_rdb_last_bgsave_status"),
        Gauge("rdb_last_bgsave_time_sec", "redis_rdb_last_bgsave_duration_sec"),
        Gauge("rdb_current_bgsave_time_sec", "redis_rdb_current_bgsave_duration_sec"),
        Gauge("aof_enabled", "redis_aof_enabled"),
        Gauge("aof_rewrite_in_progress", "redis_aof_rewrite_in_progress"),
        Gauge("aof_rewrite_scheduled", "redis_aof_rewrite_scheduled"),
        Gauge("aof_last_rewrite_time_sec", "redis_aof_last_rewrite_duration_sec"),
        Gauge("aof_current_rewrite_time_sec", "redis_aof_current_rewrite_duration_sec"),
        Gauge("aof_last_bgrewrite_status", "redis_aof_last_bgrewrite_status"),
        Gauge("aof_last_write_status", "redis_aof_last_write_status"),
        Gauge("aof_current_size", "redis_aof_current_size_bytes"),
        Gauge("aof_base_size", "redis_aof_base_size_bytes"),
        Gauge("aof_delayed_fsync", "redis_aof_delayed_fsync"),
        Gauge("instantaneous_ops_per_sec", "redis_instantaneous_ops_per_sec"),
        Gauge("instantaneous_input_kbps", "redis_instantaneous_input_kbps"),
        Gauge("instantaneous_output_kbps", "redis_instantaneous_output_kbps"),
        Gauge("latest_fork_usec", "redis_latest_fork_usec"),
        Gauge("pubsub_channels", "redis_pubsub_channels"),
        Gauge("pubsub_patterns", "redis_pubsub_patterns"),
        Gauge("pubsubshard_channels", "redis_pubsubshard_channels"),
        Counter("keyspace_events_dropped", "cache_keyspace_events_dropped_total") with
        {
            Help = "Events of keys that were not published, since too many waited.",
        },
        Gauge("connected_slaves", "redis_connected_slaves"),
        Gauge("master_repl_offset", "redis_master_repl_offset"),
        Gauge("repl_backlog_size", "redis_replication_backlog_bytes"),
        Gauge("cluster_enabled", "redis_cluster_enabled"),
        Counter("total_connections_received", "redis_connections_received_total"),
        Counter("total_commands_processed", "redis_commands_processed_total"),
        Counter("rejected_connections", "redis_rejected_connections_total"),
        Counter("total_net_input_bytes", "redis_net_input_bytes_total"),
        Counter("total_net_output_bytes", "redis_net_output_bytes_total"),
        Counter("total_reads_processed", "redis_total_reads_processed"),
        Counter("total_writes_processed", "redis_total_writes_processed"),
        Counter("total_error_replies", "redis_total_error_replies"),
        Counter("expired_keys", "redis_expired_keys_total"),
        Counter("evicted_keys", "redis_evicted_keys_total"),
        Counter("evicted_clients", "redis_evicted_clients_total"),
        Counter("keyspace_hits", "redis_keyspace_hits_total"),
        Counter("keyspace_misses", "redis_keyspace_misses_total"),
        Counter("acl_access_denied_auth", "redis_acl_access_denied_auth_total"),
        Counter("acl_access_denied_cmd", "redis_acl_access_denied_cmd_total"),
        Counter("acl_access_denied_key", "redis_acl_access_denied_key_total"),
        Counter("acl_access_denied_channel", "redis_acl_access_denied_channel_total"),
        Counter("used_cpu_sys", "redis_cpu_sys_seconds_total"),
        Counter("used_cpu_user", "redis_cpu_user_seconds_total"),
        Counter("used_cpu_sys_children", "redis_cpu_sys_children_seconds_total"),
        Counter("used_cpu_user_children", "redis_cpu_user_children_seconds_total"),
        Counter("used_cpu_sys_main_thread", "redis_cpu_sys_main_thread_seconds_total"),
        Counter("used_cpu_user_main_thread", "redis_cpu_user_main_thread_seconds_total"),

        Gauge("process_base_memory", "cache_process_base_memory_bytes"),
        Gauge("maxmemory_clients", "cache_clients_memory_max_bytes"),
        Gauge("compressed_keys", "cache_compressed_keys"),
        Gauge("compressed_value_bytes", "cache_compressed_values_bytes"),
        Gauge("compressed_bytes", "cache_compressed_bytes"),
        Counter("compression_tries", "cache_compression_tries_total"),
        Gauge("latency_max_usec_1s", "cache_latency_max_1s_seconds") with
        {
            Scale = Microsecond, Help = "The longest call of the last second.",
        },
        Gauge("latency_max_usec_10s", "cache_latency_max_10s_seconds") with
        {
            Scale = Microsecond, Help = "The longest call of the last ten seconds.",
        },
        Gauge("latency_max_usec_60s", "cache_latency_max_60s_seconds") with
        {
            Scale = Microsecond, Help = "The longest call of the last minute.",
        },
    ];

    /// <summary>Fields that count limits which clients met; each is a label of one metric.</summary>
    public static IReadOnlyList<string> Limits { get; } =
    [
        "client_query_buffer_limit_disconnections", "client_output_buffer_limit_disconnections",
        "client_output_timeout_disconnections", "client_idle_disconnections",
        "client_partial_request_disconnections", "client_unauthenticated_bytes_disconnections",
        "client_authentication_timeout_disconnections", "delayed_authentications", "protected_mode_rejections",
        "http_disconnections", "tls_disconnections", "delayed_accepts",
    ];

    private static InfoMetric Gauge(string field, string name) => new(field, name, MetricKind.Gauge);

    private static InfoMetric Counter(string field, string name) => new(field, name, MetricKind.Counter);
}
