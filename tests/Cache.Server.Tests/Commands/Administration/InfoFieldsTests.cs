using System.Globalization;
using System.Text.RegularExpressions;
using Cache.Testing;

namespace Cache.Server.Tests.Commands.Administration;

/// <summary>The fields of INFO: those of Redis 7.0.15, in its sections and order.</summary>
public sealed class InfoFieldsTests : CommandTestBase
{
    private static readonly Dictionary<string, string[]> _ofRedis =
        new Dictionary<string, string>
        {
            ["Server"] =
                "redis_version redis_git_sha1 redis_git_dirty redis_build_id redis_mode os arch_bits monotonic_clock "
                + "multiplexing_api atomicvar_api gcc_version process_id process_supervised run_id tcp_port "
                + "server_time_usec uptime_in_seconds uptime_in_days hz configured_hz lru_clock executable config_file "
                + "io_threads_active",
            ["Clients"] =
                "connected_clients cluster_connections maxclients client_recent_max_input_buffer "
                + "client_recent_max_output_buffer blocked_clients tracking_clients clients_in_timeout_table",
            ["Memory"] =
                "used_memory used_memory_human used_memory_rss used_memory_rss_human used_memory_peak "
                + "used_memory_peak_human used_memory_peak_perc used_memory_overhead used_memory_startup "
                + "used_memory_dataset used_memory_dataset_perc allocator_allocated allocator_active "
                + "allocator_resident "
                + "total_system_memory total_system_memory_human used_memory_lua used_memory_vm_eval "
                + "used_memory_lua_human used_memory_scripts_eval number_of_cached_scripts number_of_functions "
                + "number_of_libraries used_memory_vm_functions used_memory_vm_total used_memory_vm_total_human "
                + "used_memory_functions used_memory_scripts used_memory_scripts_human maxmemory maxmemory_human "
                + "maxmemory_policy allocator_frag_ratio allocator_frag_bytes allocator_rss_ratio allocator_rss_bytes "
                + "rss_overhead_ratio rss_overhead_bytes mem_fragmentation_ratio mem_fragmentation_bytes "
                + "mem_not_counted_for_evict mem_replication_backlog mem_total_replication_buffers mem_clients_slaves "
                + "mem_clients_normal mem_cluster_links mem_aof_buffer mem_allocator active_defrag_running "
                + "lazyfree_pending_objects lazyfreed_objects",
            ["Persistence"] =
                "loading async_loading current_cow_peak current_cow_size current_cow_size_age current_fork_perc "
                + "current_save_keys_processed current_save_keys_total rdb_changes_since_last_save "
                + "rdb_bgsave_in_progress rdb_last_save_time rdb_last_bgsave_status rdb_last_bgsave_time_sec "
                + "rdb_current_bgsave_time_sec rdb_saves rdb_last_cow_size rdb_last_load_keys_expired "
                + "rdb_last_load_keys_loaded aof_enabled aof_rewrite_in_progress aof_rewrite_scheduled "
                + "aof_last_rewrite_time_sec aof_current_rewrite_time_sec aof_last_bgrewrite_status aof_rewrites "
                + "aof_rewrites_consecutive_failures aof_last_write_status aof_last_cow_size module_fork_in_progress "
                + "module_fork_last_cow_size",
            ["Stats"] =
                "total_connections_received total_commands_processed instantaneous_ops_per_sec total_net_input_bytes "
                + "total_net_output_bytes total_net_repl_input_bytes total_net_repl_output_bytes "
                + "instantaneous_input_kbps instantaneous_output_kbps instantaneous_input_repl_kbps "
                + "instantaneous_output_repl_kbps rejected_connections sync_full sync_partial_ok sync_partial_err "
                + "expired_keys expired_stale_perc expired_time_cap_reached_count expire_cycle_cpu_milliseconds "
                + "evicted_keys evicted_clients total_eviction_exceeded_time current_eviction_exceeded_time "
                + "keyspace_hits keyspace_misses pubsub_channels pubsub_patterns pubsubshard_channels latest_fork_usec "
                + "total_forks migrate_cached_sockets slave_expires_tracked_keys active_defrag_hits "
                + "active_defrag_misses active_defrag_key_hits active_defrag_key_misses total_active_defrag_time "
                + "current_active_defrag_time tracking_total_keys tracking_total_items tracking_total_prefixes "
                + "unexpected_error_replies total_error_replies dump_payload_sanitizations total_reads_processed "
                + "total_writes_processed io_threaded_reads_processed io_threaded_writes_processed "
                + "reply_buffer_shrinks "
                + "reply_buffer_expands",
            ["Replication"] =
                "role connected_slaves master_failover_state master_replid master_replid2 master_repl_offset "
                + "second_repl_offset repl_backlog_active repl_backlog_size repl_backlog_first_byte_offset "
                + "repl_backlog_histlen",
            ["CPU"] =
                "used_cpu_sys used_cpu_user used_cpu_sys_children used_cpu_user_children used_cpu_sys_main_thread "
                + "used_cpu_user_main_thread",
            ["Cluster"] =
                "cluster_enabled",
        }
        .ToDictionary(static pair => pair.Key, static pair => pair.Value.Split(' '));

    [Fact]
    public void Info_EachSection_HasTheFieldsOfRedisInItsOrder()
    {
        foreach (var (section, expected) in _ofRedis)
        {
            string[] shown = [.. Read(section).Select(static field => field.Name).Where(expected.Contains)];

            Assert.Equal(expected, shown);
        }
    }

    [Fact]
    public void Info_Everything_HasEachFieldOnce()
    {
        var names = Read("everything").Select(static field => field.Name).ToList();

        Assert.Equal(names.Distinct(), names);
    }

    [Theory]
    [InlineData("memory", ".*_human", @"\d+B|\d+\.\d\d[KMGT]")]
    [InlineData("memory", ".*_perc", @"\d+\.\d\d%")]
    [InlineData("memory", ".*_ratio", @"\d+\.\d\d")]
    [InlineData("memory", "mem_fragmentation_bytes", @"-?\d+")]
    [InlineData("memory", "(used_memory|total_system_memory|maxmemory)(_rss|_peak|_overhead|_dataset)?", @"\d+")]
    [InlineData("memory", "mem_(clients_normal|not_counted_for_evict|aof_buffer)|lazyfree.*", @"\d+")]
    [InlineData("cpu", "used_cpu_.*", @"\d+\.\d{6}")]
    [InlineData("persistence", "(rdb|aof)_last_.*_status", "ok")]
    [InlineData("persistence", "current_fork_perc", @"0\.00")]
    [InlineData("persistence", "(rdb|aof)_.*_time_sec", "-1")]
    [InlineData("persistence", ".*(loading|size|peak|age|keys.*|saves|rewrites|enabled|progress|failures)", "0")]
    [InlineData("server", "hz|configured_hz", "10")]
    [InlineData("server", "lru_clock|server_time_usec|uptime_in_.*", @"\d+")]
    [InlineData("stats", "instantaneous_.*_kbps", @"\d+\.\d\d")]
    [InlineData("replication", "master_replid2", "0{40}")]
    [InlineData("replication", "second_repl_offset", "-1")]
    public void Info_Values_AreWrittenAsRedisDoes(string section, string names, string format)
    {
        var found = Read(section).Where(field => Regex.IsMatch(field.Name, $"^({names})$")).ToList();

        Assert.NotEmpty(found);
        Assert.All(found, field => Assert.Matches($"^({format})$", field.Value));
    }

    [Fact]
    public void Info_LruClockAndLastSave_AreOfTheServersClock()
    {
        long startedAt = Server.NowMs / 1000;
        ((FakeTimeProvider)Server.TimeProvider).Advance(TimeSpan.FromSeconds(90));

        Assert.Equal((startedAt + 90) & 0xFFFFFF, Number("server", "lru_clock"));
        Assert.Equal(startedAt, Number("persistence", "rdb_last_save_time"));
    }

    [Fact]
    public void Info_Dataset_IsWhatEntriesTake()
    {
        Assert.Equal(
            Number("memory", "used_memory"),
            Number("memory", "used_memory_startup") + Number("memory", "mem_clients_normal"));
        Assert.Equal(0, Number("memory", "used_memory_dataset"));

        for (int i = 0; i < 100; i++)
            Client.Run($"SET key{i} {new string('x', 1000)}");

        long dataset = Number("memory", "used_memory_dataset");
        Assert.InRange(dataset, 100_000, 16 << 20);
        Assert.Equal(Number("memory", "used_memory"), dataset + Number("memory", "used_memory_overhead"));
    }

    [Fact]
    public void Info_Fragmentation_ComparesWithTheStoreAndTheProcessAtItsStart()
    {
        Server.ProcessBaseBytes = Environment.WorkingSet - Server.Store.GetStatistics().MemoryBytes;

        double ratio = double.Parse(Value("memory", "mem_fragmentation_ratio"), CultureInfo.InvariantCulture);

        Assert.InRange(ratio, 0.2, 5);
        Assert.InRange(
            Number("memory", "used_memory_rss") - Number("memory", "used_memory") - Server.ProcessBaseBytes
                - Number("memory", "mem_fragmentation_bytes"),
            -64 << 20, 64 << 20);
    }

    private long Number(string section, string name) =>
        long.Parse(Value(section, name), CultureInfo.InvariantCulture);

    private string Value(string section, string name) => Read(section).Single(field => field.Name == name).Value;

    private List<(string Name, string Value)> Read(string section) =>
    [
        .. Client.Run("INFO " + section).Split("\r\n")
            .Where(static line => line.Contains(':', StringComparison.Ordinal))
            .Select(static line => line.Split(':', 2))
            .Select(static parts => (parts[0], parts[1])),
    ];
}
