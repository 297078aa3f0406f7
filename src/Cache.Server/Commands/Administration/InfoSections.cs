using System.Diagnostics;
using System.Globalization;
using System.Runtime.InteropServices;
using System.Text;
using Cache.Core;
using Cache.Server.Clients;
using Cache.Server.PubSub;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Statistics;

namespace Cache.Server.Commands.Administration;

/// <summary>The sections of INFO, with the fields of Redis 7.0 that have a meaning here.</summary>
internal static class InfoSections
{
    // The frequency at which the store looks for expired entries (StoreState): hz in Redis.
    private const int SweepsPerSecond = 10;

    // Redis counts the seconds of its approximate LRU in 24 bits.
    private const int LruClockMask = (1 << 24) - 1;

    // A field says so in its name.
    private const int SecondsOfLatency = 10;

    // As in Redis for a server that has replaced no other.
    private static readonly string _noReplicationId = new('0', 40);

    /// <summary>All sections, in Redis's order.</summary>
    public static IReadOnlyList<InfoSection> All { get; } =
    [
        new("Server", true, AppendServer),
        new("Clients", true, AppendClients),
        new("Memory", true, InfoMemory.Append),
        new("Persistence", true, InfoPersistence.Append),
        new("Stats", true, AppendStatistics),
        new("Replication", true, AppendReplication),
        new("CPU", true, AppendProcessor),
        new("Modules", true, static (_, _) => { }),
        new("Commandstats", false, AppendCommands),
        new("Errorstats", true, AppendErrors),
        new("Latencystats", false, InfoLatency.Append),
        new("Cluster", true, static (text, server) => text.Add("cluster_enabled", server.Cluster is null ? 0 : 1)),
        new("Keyspace", true, AppendKeyspace),
    ];

    private static void AppendServer(InfoText text, ServerState server)
    {
        long uptimeSeconds = (server.NowMs - server.StartedAtMs) / 1000;
        text.Add("redis_version", Encoding.ASCII.GetString(ServerState.RedisVersion));
        text.AddEach(0, "redis_git_sha1", "redis_git_dirty", "redis_build_id"); // It is another program.
        text.Add("server_name", "cache");
        text.Add("cache_version", ServerState.Version);
        text.Add("redis_mode", server.Cluster is null ? "standalone" : "cluster");
        text.Add("os", $"{RuntimeInformation.OSDescription} {RuntimeInformation.OSArchitecture}");
        text.Add("arch_bits", IntPtr.Size * 8);
        text.Add("monotonic_clock", "POSIX clock_gettime");
        text.Add("multiplexing_api", server.Settings.Transport);
        text.Add("atomicvar_api", "dotnet-interlocked");
        text.Add("gcc_version", "0.0.0");
        text.Add("process_id", Environment.ProcessId);
        text.Add("process_supervised", "no");
        text.Add("run_id", server.RunId);
        text.Add("tcp_port", server.Settings.Port != 0 ? server.Settings.Port : server.Settings.TlsPort);
        text.Add("server_time_usec", server.UnixMicroseconds);
        text.Add("uptime_in_seconds", uptimeSeconds);
        text.Add("uptime_in_days", uptimeSeconds / (24 * 60 * 60));
        text.Add("hz", SweepsPerSecond);
        text.Add("configured_hz", SweepsPerSecond);
        text.Add("lru_clock", (server.NowMs / 1000) & LruClockMask);
        text.Add("executable", Environment.ProcessPath ?? "");
        text.Add("config_file", server.Settings.ConfigurationFile);
        text.Add("io_threads_active", server.Settings.IoThreads > 1 ? 1 : 0); // As in Redis: whether, not how many.
    }

    private static void AppendClients(InfoText text, ServerState server)
    {
        text.Add("connected_clients", server.Clients.Count);
        text.Add("cluster_connections", 0);
        text.Add("maxclients", server.Settings.MaxClients);
        (long input, long output) = server.Statistics.GetBufferPeaks(server.NowMs);
        int blocked = 0;
        int withDeadline = 0;
        int subscribed = 0;
        int watching = 0;
        int queueing = 0;
        foreach (var client in server.Clients.ToList())
        {
            input = Math.Max(input, client.PendingInputBytes);
            output = Math.Max(output, client.PendingOutputBytes);
            blocked += client.IsBlocked ? 1 : 0;
            withDeadline += client.HasWaitEnd ? 1 : 0;
            subscribed += client.IsSubscriber ? 1 : 0;
            watching += client.Transaction is { WatchedCount: > 0 } ? 1 : 0;
            queueing += client.IsQueueing ? 1 : 0;
        }

        text.Add("client_recent_max_input_buffer", input);
        text.Add("client_recent_max_output_buffer", output);
        text.Add("blocked_clients", blocked);
        text.Add("tracking_clients", server.Tracking.ClientCount);
        text.Add("clients_in_timeout_table", withDeadline);

        // Of later versions; the last one is ours.
        text.Add("pubsub_clients", subscribed);
        text.Add("watching_clients", watching);
        text.Add("total_watched_keys", server.Watches.Count);
        text.Add("total_blocking_keys", server.Waits.KeyCount);
        text.Add("transacting_clients", queueing);
    }

    // Empty until enough reads were seen.
    private static string CurveOf(HitRatioCurve? curve)
    {
        if (curve is not { IsKnown: true })
            return "";
        var text = new StringBuilder();
        foreach (var point in curve.Points)
            text.Append(CultureInfo.InvariantCulture, $"x{point.Scale}={point.HitRatio:F4},");
        return text.Append(CultureInfo.InvariantCulture, $"sampled_keys={curve.SampledKeys}").ToString();
    }

    private static void AppendStatistics(InfoText text, ServerState server)
    {
        var store = server.Store.GetStatistics();
        var traffic = server.Statistics.SumTraffic();
        var throughput = server.Throughput.Measure(traffic);
        text.Add("total_connections_received", server.Clients.AcceptedCount);
        text.Add("total_commands_processed", traffic.Commands);
        text.Add("instantaneous_ops_per_sec", (long)throughput.Commands);
        text.Add("total_net_input_bytes", traffic.InputBytes);
        text.Add("total_net_output_bytes", traffic.OutputBytes);
        text.AddEach(0, "total_net_repl_input_bytes", "total_net_repl_output_bytes");
        text.Add("instantaneous_input_kbps", Kilobytes(throughput.InputBytes));
        text.Add("instantaneous_output_kbps", Kilobytes(throughput.OutputBytes));
        text.Add("instantaneous_input_repl_kbps", "0.00");
        text.Add("instantaneous_output_repl_kbps", "0.00");
        text.Add("rejected_connections", server.Clients.RejectedCount);
        text.AddEach(0, "sync_full", "sync_partial_ok", "sync_partial_err");
        text.Add("expired_keys", store.Expirations);
        text.Add("expired_stale_perc", 0.0);
        text.AddEach(0, "expired_time_cap_reached_count", "expire_cycle_cpu_milliseconds");
        text.Add("evicted_keys", store.Evictions);
        text.Add("evicted_clients", server.Limits[ConnectionLimit.ClientMemory]);
        text.AddEach(0, "total_eviction_exceeded_time", "current_eviction_exceeded_time");
        text.Add("keyspace_hits", store.Hits);
        text.Add("keyspace_misses", store.Misses);
        text.Add("hit_ratio_curve", CurveOf(server.Store.GetHitRatioCurve()));
        text.Add("pubsub_channels", server.Channels.CountOf(ChannelKind.Channel));
        text.Add("pubsub_patterns", server.Channels.PatternCount);
        text.Add("pubsubshard_channels", server.Channels.CountOf(ChannelKind.Shard));
        text.Add("keyspace_events_dropped", server.Notifications.DroppedCount);
        text.AddEach(
            0, "latest_fork_usec", "total_forks",
            "migrate_cached_sockets", "slave_expires_tracked_keys", "active_defrag_hits", "active_defrag_misses",
            "active_defrag_key_hits", "active_defrag_key_misses", "total_active_defrag_time",
            "current_active_defrag_time");
        text.Add("tracking_total_keys", server.Tracking.Keys.Count);
        text.Add("tracking_total_items", server.Tracking.Keys.Items);
        text.Add("tracking_total_prefixes", server.Tracking.Prefixes.Count);
        text.Add("unexpected_error_replies", 0);
        text.Add("unsafe_actions", server.UnsafeActions);
        text.Add("total_error_replies", server.Statistics.GetErrors().Total);
        text.Add("dump_payload_sanitizations", 0);
        if (server.Settings.TlsPort != 0)
            text.Add("tls_handshake_failures", server.Statistics.FailedHandshakes);
        text.Add("total_reads_processed", traffic.Reads);
        text.Add("total_writes_processed", traffic.Writes);
        text.AddEach(
            0, "io_threaded_reads_processed", "io_threaded_writes_processed", "reply_buffer_shrinks",
            "reply_buffer_expands");
        AppendLongest(text, server);
        AppendLimits(text, server.Limits);
    }

    // Of all commands; for the longest, a group of common ones counts as one.
    private static void AppendLongest(InfoText text, ServerState server)
    {
        text.Add("latency_p99_usec_10s", LatencyOf(server, "latency_p99_usec"));
        long now = server.TimeProvider.GetTimestamp();
        text.Add("latency_max_usec_1s", server.Statistics.LongestCall(now, seconds: 1));
        text.Add("latency_max_usec_10s", server.Statistics.LongestCall(now, seconds: 10));
        text.Add("latency_max_usec_60s", server.Statistics.LongestCall(now, LatencyMaxima.SecondsMax));
    }

    // The greatest of ten seconds; the calls of a second are counted at its end.
    private static long LatencyOf(ServerState server, string series)
    {
        double greatest = 0;
        var points = server.History.Read(
            HistorySeries.IndexOf(series), server.UnixSeconds - SecondsOfLatency, isCoarse: false);
        foreach (var (_, value) in points)
            greatest = Math.Max(greatest, value);
        return (long)Math.Ceiling(greatest);
    }

    // Refused and evicted clients have Redis's own fields.
    private static void AppendLimits(InfoText text, LimitEvents limits)
    {
        text.Add("client_query_buffer_limit_disconnections", limits[ConnectionLimit.QueryBuffer]);
        text.Add("client_output_buffer_limit_disconnections", limits[ConnectionLimit.OutputBuffer]);
        text.Add("client_output_timeout_disconnections", limits[ConnectionLimit.OutputTimeout]);
        text.Add("client_idle_disconnections", limits[ConnectionLimit.IdleTimeout]);
        text.Add("client_partial_request_disconnections", limits[ConnectionLimit.PartialRequestTimeout]);
        text.Add("client_unauthenticated_bytes_disconnections", limits[ConnectionLimit.UnauthenticatedBytes]);
        text.Add("client_authentication_timeout_disconnections", limits[ConnectionLimit.AuthenticationTimeout]);
        text.Add("acl_access_denied_auth", limits[ConnectionLimit.AuthenticationFailure]);
        text.Add("acl_access_denied_cmd", limits[ConnectionLimit.CommandDenied]);
        text.Add("acl_access_denied_key", limits[ConnectionLimit.KeyDenied]);
        text.Add("acl_access_denied_channel", limits[ConnectionLimit.ChannelDenied]);
        text.Add("acl_access_denied_tls_cert", limits[ConnectionLimit.CertificateUser]);
        text.Add("delayed_authentications", limits[ConnectionLimit.AuthenticationDelay]);
        text.Add("protected_mode_rejections", limits[ConnectionLimit.ProtectedMode]);
        text.Add("http_disconnections", limits[ConnectionLimit.Http]);
        text.Add("tls_disconnections", limits[ConnectionLimit.Tls]);
        text.Add("delayed_accepts", limits[ConnectionLimit.AcceptRate]);
    }

    private static void AppendReplication(InfoText text, ServerState server)
    {
        text.Add("role", "master");
        text.Add("connected_slaves", 0);
        text.Add("master_failover_state", "no-failover");
        text.Add("master_replid", server.RunId);
        text.Add("master_replid2", _noReplicationId);
        text.Add("master_repl_offset", 0);
        text.Add("second_repl_offset", -1);
        text.AddEach(
            0, "repl_backlog_active", "repl_backlog_size", "repl_backlog_first_byte_offset", "repl_backlog_histlen");
    }

    // The server starts no processes: child processes belong to an application that hosts it.
    private static void AppendProcessor(InfoText text, ServerState server)
    {
        var usage = Environment.CpuUsage;
        text.Add("used_cpu_sys", Seconds(usage.PrivilegedTime));
        text.Add("used_cpu_user", Seconds(usage.UserTime));
        var (children, main) = ProcessorTime.Read();
        text.Add("used_cpu_sys_children", Seconds(children.System));
        text.Add("used_cpu_user_children", Seconds(children.User));
        text.Add("used_cpu_sys_main_thread", Seconds(main.System));
        text.Add("used_cpu_user_main_thread", Seconds(main.User));
    }

    private static void AppendCommands(InfoText text, ServerState server)
    {
        var counts = server.Statistics.SumCommands();
        foreach (var command in server.Commands.All)
        {
            ref readonly var count = ref counts[command.Index];
            if (count.Calls + count.Rejections == 0)
                continue;
            double microseconds = count.Ticks * 1_000_000.0 / server.TimeProvider.TimestampFrequency;
            double microsecondsPerCall = count.Calls == 0 ? 0 : microseconds / count.Calls;
            var value = new StringBuilder()
                .Append(CultureInfo.InvariantCulture, $"calls={count.Calls},")
                .Append(CultureInfo.InvariantCulture, $"usec={(long)microseconds},")
                .Append(CultureInfo.InvariantCulture, $"usec_per_call={microsecondsPerCall:F2},")
                .Append(CultureInfo.InvariantCulture, $"rejected_calls={count.Rejections},")
                .Append(CultureInfo.InvariantCulture, $"failed_calls={count.Failures}");
            text.Add("cmdstat_" + command.Name, value.ToString());
        }
    }

    private static void AppendErrors(InfoText text, ServerState server)
    {
        foreach (var (code, count) in server.Statistics.GetErrors().ByCode)
            text.Add("errorstat_" + code, "count=" + count.ToString(CultureInfo.InvariantCulture));
    }

    private static void AppendKeyspace(InfoText text, ServerState server)
    {
        for (int i = 0; i < server.Databases.Count; i++)
        {
            var keyspace = server.Databases[i];
            long keys = keyspace.Count;
            if (keys == 0)
                continue;
            text.Add(
                "db" + i.ToString(CultureInfo.InvariantCulture),
                string.Create(CultureInfo.InvariantCulture, $"keys={keys},expires={keyspace.ExpiringCount},avg_ttl=0"));
        }
    }

    private static string Kilobytes(double bytes) => (bytes / 1024).ToString("F2", CultureInfo.InvariantCulture);

    private static string Seconds(TimeSpan time) => time.TotalSeconds.ToString("F6", CultureInfo.InvariantCulture);
}
