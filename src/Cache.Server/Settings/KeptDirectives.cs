using System.Globalization;

namespace Cache.Server.Settings;

/// <summary>
/// The directives of Redis 7.0.15 without an effect here, with its kinds, bounds and defaults: they work in a
/// configuration of Redis, and for a client that sets them.
/// </summary>
internal static class KeptDirectives
{
    private static readonly Directive[] _own =
    [
        Number("active-defrag-cycle-max", 25, 1, 99),
        Number("active-defrag-cycle-min", 1, 1, 99),
        Memory("active-defrag-ignore-bytes", 104857600, 1),
        Number("active-defrag-max-scan-fields", 1000, 1, long.MaxValue),
        Number("active-defrag-threshold-lower", 10, 0, 1000),
        Number("active-defrag-threshold-upper", 100, 0, 1000),
        Number("active-expire-effort", 1, 1, 10),
        YesNo("activedefrag", "no"),
        YesNo("activerehashing", "yes"),
        Fixed(YesNo("always-show-logo", "no")),
        YesNo("aof-disable-auto-gc", "no"),
        YesNo("aof-rewrite-incremental-fsync", "yes"),
        YesNo("aof-timestamp-enabled", "no"),
        YesNo("aof-use-rdb-preamble", "yes"),
        Fixed(Text("aof_rewrite_cpulist", "")),
        Fixed(Kind("appendfilename", "appendonly.aof", OddKinds.BareName("appendfilename", "filename"))),
        Fixed(Text("bgsave_cpulist", "")),
        Text("bind-source-addr", ""),
        Fixed(Text("bio_cpulist", "")),
        YesNo("cluster-allow-replica-migration", "yes"),
        Number("cluster-announce-bus-port", 0, 0, ushort.MaxValue),
        Kind("cluster-announce-hostname", "", OddKinds.HostName),
        Text("cluster-announce-ip", ""),
        Number("cluster-announce-port", 0, 0, ushort.MaxValue),
        Number("cluster-announce-tls-port", 0, 0, ushort.MaxValue),
        Fixed(Text("cluster-config-file", "nodes.conf")),
        Memory("cluster-link-sendbuf-limit", 0, 0),
        Number("cluster-migration-barrier", 1, 0, int.MaxValue),
        Number("cluster-node-timeout", 15000, 0, long.MaxValue),
        Fixed(Number("cluster-port", 0, 0, ushort.MaxValue)),
        Enum("cluster-preferred-endpoint-type", "ip", "ip", "hostname", "unknown-endpoint"),
        YesNo("cluster-replica-no-failover", "no"),
        Number("cluster-replica-validity-factor", 10, 0, int.MaxValue),
        YesNo("crash-log-enabled", "yes"),
        YesNo("crash-memcheck-enabled", "yes"),
        Fixed(YesNo("daemonize", "no"))
            with { WithoutEffect = "the server stays in the foreground" },
        Guarded(Kind("dbfilename", "dump.rdb", OddKinds.BareName("dbfilename", "filename")))
            with { WithoutEffect = "snapshots have names and a format of their own, in appenddirname" },
        Fixed(YesNo("disable-thp", "yes")),
        YesNo("dynamic-hz", "yes"),
        Fixed(Enum("enable-module-command", "no", "no", "yes", "local"))
            with { WithoutEffect = "there are no modules" },
        Fixed(Enum("enable-protected-configs", "no", "no", "yes", "local"))
            with { WithoutEffect = "what it lets CONFIG SET change, dir and dbfilename, counts at the start or never" },
        Number("hash-max-listpack-entries", 512, 0, long.MaxValue),
        Memory("hash-max-listpack-value", 64, 0),
        Memory("hll-sparse-max-bytes", 3000, 0),
        Number("hz", 10, 0, int.MaxValue),
        Text("ignore-warnings", ""),
        Fixed(YesNo("io-threads-do-reads", "no")),
        YesNo("jemalloc-bg-thread", "yes"),
        YesNo("lazyfree-lazy-eviction", "no"),
        YesNo("lazyfree-lazy-expire", "no"),
        YesNo("lazyfree-lazy-server-del", "no"),
        YesNo("lazyfree-lazy-user-del", "no"),
        YesNo("lazyfree-lazy-user-flush", "no"),
        Number("lfu-decay-time", 1, 0, int.MaxValue),
        Number("lfu-log-factor", 10, 0, int.MaxValue),
        Number("list-compress-depth", 0, 0, int.MaxValue),
        Number("list-max-listpack-size", -2, int.MinValue, int.MaxValue),
        Fixed(Text("logfile", ""))
            with { WithoutEffect = "the log goes to the standard output" },
        Text("masterauth", ""),
        Text("masteruser", ""),
        Number("maxmemory-eviction-tenacity", 10, 0, 100),
        Number("maxmemory-samples", 5, 1, int.MaxValue),
        Number("min-replicas-max-lag", 10, 0, int.MaxValue),
        Number("min-replicas-to-write", 0, 0, int.MaxValue),
        Kind("oom-score-adj", "no",
            new OneOfKind("no", "yes", "relative", "absolute") { Synonym = ("relative", "yes") }),
        Kind("oom-score-adj-values", "0 200 800", OddKinds.OomScores),
        Fixed(Text("pidfile", "")),
        Kind("proc-title-template", "{title} {listen-addr} {server-mode}", OddKinds.Title),
        Enum("propagation-error-behavior", "ignore", "ignore", "panic", "panic-on-replicas"),
        YesNo("rdb-del-sync-files", "no"),
        YesNo("rdb-save-incremental-fsync", "yes"),
        Fixed(YesNo("rdbchecksum", "yes")),
        Memory("repl-backlog-size", 1048576, 1),
        Number("repl-backlog-ttl", 3600, 0, long.MaxValue),
        YesNo("repl-disable-tcp-nodelay", "no"),
        Enum("repl-diskless-load", "disabled", "disabled", "on-empty-db", "swapdb"),
        YesNo("repl-diskless-sync", "yes"),
        Number("repl-diskless-sync-delay", 5, 0, int.MaxValue),
        Number("repl-diskless-sync-max-replicas", 0, 0, int.MaxValue),
        Number("repl-ping-replica-period", 10, 1, int.MaxValue),
        Number("repl-timeout", 60, 1, int.MaxValue),
        Text("replica-announce-ip", ""),
        Number("replica-announce-port", 0, 0, ushort.MaxValue),
        YesNo("replica-announced", "yes"),
        YesNo("replica-ignore-disk-write-errors", "no"),
        YesNo("replica-ignore-maxmemory", "yes"),
        YesNo("replica-lazy-flush", "no"),
        Number("replica-priority", 100, 0, int.MaxValue),
        YesNo("replica-read-only", "yes"),
        YesNo("replica-serve-stale-data", "yes"),
        Enum("sanitize-dump-payload", "no", "no", "yes", "clients"),
        Fixed(Text("server_cpulist", "")),
        Number("set-max-intset-entries", 512, 0, long.MaxValue),
        Fixed(YesNo("set-proc-title", "yes")),
        Kind("shutdown-on-sigint", "default", OddKinds.ShutdownFlags),
        Kind("shutdown-on-sigterm", "default", OddKinds.ShutdownFlags),
        Fixed(Number("socket-mark-id", 0, 0, uint.MaxValue)),
        Memory("stream-node-max-bytes", 4096, 0),
        Number("stream-node-max-entries", 100, 0, long.MaxValue),
        Fixed(Enum("supervised", "no", "upstart", "systemd", "auto", "no"))
            with { WithoutEffect = "systemd is told that the server is ready where it asks, others are not" },
        Fixed(YesNo("syslog-enabled", "no"))
            with { WithoutEffect = "the log goes to the standard output" },
        Fixed(Enum("syslog-facility", "local0",
            "user", "local0", "local1", "local2", "local3", "local4", "local5", "local6", "local7")),
        Fixed(Text("syslog-ident", "redis")),
        Text("tls-client-cert-file", ""),
        Text("tls-client-key-file", ""),
        Text("tls-client-key-file-pass", ""),
        YesNo("tls-cluster", "no"),
        Text("tls-dh-params-file", ""),
        YesNo("tls-prefer-server-ciphers", "no"),
        YesNo("tls-replication", "no"),
        Number("tls-session-cache-size", 20480, 0, int.MaxValue),
        Number("tls-session-cache-timeout", 300, 0, int.MaxValue),
        YesNo("tls-session-caching", "yes"),
        Number("zset-max-listpack-entries", 128, 0, long.MaxValue),
        Memory("zset-max-listpack-value", 64, 0),
        Number("list-max-ziplist-entries", 0, long.MinValue, long.MaxValue) with { IsParameter = false },
        Number("list-max-ziplist-value", 0, long.MinValue, long.MaxValue) with { IsParameter = false },
    ];

    // Older names of other directives.
    private static readonly (string Name, string Of)[] _aliases =
    [
        ("cluster-slave-no-failover", "cluster-replica-no-failover"),
        ("cluster-slave-validity-factor", "cluster-replica-validity-factor"),
        ("hash-max-ziplist-entries", "hash-max-listpack-entries"),
        ("hash-max-ziplist-value", "hash-max-listpack-value"),
        ("list-max-ziplist-size", "list-max-listpack-size"),
        ("min-slaves-max-lag", "min-replicas-max-lag"),
        ("min-slaves-to-write", "min-replicas-to-write"),
        ("repl-ping-slave-period", "repl-ping-replica-period"),
        ("slave-announce-ip", "replica-announce-ip"),
        ("slave-announce-port", "replica-announce-port"),
        ("slave-ignore-maxmemory", "replica-ignore-maxmemory"),
        ("slave-lazy-flush", "replica-lazy-flush"),
        ("slave-priority", "replica-priority"),
        ("slave-read-only", "replica-read-only"),
        ("slave-serve-stale-data", "replica-serve-stale-data"),
        ("zset-max-ziplist-entries", "zset-max-listpack-entries"),
        ("zset-max-ziplist-value", "zset-max-listpack-value"),
    ];

    public static IReadOnlyList<Directive> All { get; } =
    [
        .. _own,
        .. _aliases.Select(static pair =>
            Array.Find(_own, one => one.Name == pair.Of)! with { Name = pair.Name, AliasOf = pair.Of }),
    ];

    private static Directive YesNo(string name, string value) => Kind(name, value, OneOfKind.YesNo);

    private static Directive Number(string name, long value, long min, long max) =>
        Kind(name, value.ToString(CultureInfo.InvariantCulture), new NumberKind(min, max));

    private static Directive Memory(string name, long value, long min) =>
        Kind(name, value.ToString(CultureInfo.InvariantCulture), new MemoryKind(min, long.MaxValue));

    private static Directive Text(string name, string value) => Kind(name, value, new TextKind("text"));

    private static Directive Enum(string name, string value, params string[] names) =>
        Kind(name, value, new OneOfKind(names));

    private static Directive Kind(string name, string value, ValueKind kind) =>
        new(name, kind, value, Meaning: "") { IsChangeable = true };

    private static Directive Fixed(Directive one) => one with { IsChangeable = false };

    private static Directive Guarded(Directive one) => one with { IsProtected = true };
}
