using System.Globalization;

namespace Cache.Server.Settings;

/// <summary>The directives of what the server measures: SLOWLOG, COMMANDLOG, LATENCY, percentiles.</summary>
internal static class MeasuringDirectives
{
    public static IReadOnlyList<Directive> All { get; } =
    [
        Number("slowlog-log-slower-than", new NumberKind(-1, long.MaxValue, "microseconds"), "10000",
            "SLOWLOG has calls that took at least this long; -1 for none.",
            static s => s.SlowLogMicroseconds, static (s, value) => s.SlowLogMicroseconds = value),
        Number("slowlog-max-len", new NumberKind(0, long.MaxValue), "128",
            "The most entries of SLOWLOG; never more than 100,000 are kept.",
            static s => s.SlowLogLengthMax, static (s, value) => s.SlowLogLengthMax = value),
        Number("commandlog-execution-slower-than", new NumberKind(-1, long.MaxValue, "microseconds"), "10000",
            "Valkey's name of slowlog-log-slower-than.",
            static s => s.SlowLogMicroseconds, static (s, value) => s.SlowLogMicroseconds = value)
            with { AliasOf = "slowlog-log-slower-than" },
        Number("commandlog-slow-execution-max-len", new NumberKind(0, long.MaxValue), "128",
            "Valkey's name of slowlog-max-len.",
            static s => s.SlowLogLengthMax, static (s, value) => s.SlowLogLengthMax = value)
            with { AliasOf = "slowlog-max-len" },
        Number("commandlog-request-larger-than", new NumberKind(-1, long.MaxValue, "bytes"), "1048576",
            "COMMANDLOG has requests of at least this length; -1 for none.",
            static s => s.LargeRequestBytes, static (s, value) => s.LargeRequestBytes = value),
        Number("commandlog-large-request-max-len", new NumberKind(0, long.MaxValue), "128",
            "The most large requests of COMMANDLOG; never more than 100,000 are kept.",
            static s => s.LargeRequestLengthMax, static (s, value) => s.LargeRequestLengthMax = value),
        Number("commandlog-reply-larger-than", new NumberKind(-1, long.MaxValue, "bytes"), "1048576",
            "COMMANDLOG has calls whose replies have at least this length; -1 for none.",
            static s => s.LargeReplyBytes, static (s, value) => s.LargeReplyBytes = value),
        Number("commandlog-large-reply-max-len", new NumberKind(0, long.MaxValue), "128",
            "The most large replies of COMMANDLOG; never more than 100,000 are kept.",
            static s => s.LargeReplyLengthMax, static (s, value) => s.LargeReplyLengthMax = value),
        Number("busy-reply-threshold", new NumberKind(0, long.MaxValue, "milliseconds"), "5000",
            "After this time a script that runs keeps others waiting no longer: they get -BUSY; 0 for never.",
            static s => s.BusyReplyMs, static (s, value) => s.BusyReplyMs = value),
        Number("lua-time-limit", new NumberKind(0, long.MaxValue, "milliseconds"), "5000",
            "The older name of busy-reply-threshold.",
            static s => s.BusyReplyMs, static (s, value) => s.BusyReplyMs = value)
            with { AliasOf = "busy-reply-threshold" },
        Number("latency-monitor-threshold",
            new NumberKind(0, long.MaxValue, "milliseconds"), "0",
            "LATENCY has what took at least this long; 0 for nothing.",
            static s => s.LatencyThresholdMs, static (s, value) => s.LatencyThresholdMs = value),
        Number("tracking-table-max-keys", new NumberKind(0, long.MaxValue), "1000000",
            "The most keys that are remembered for CLIENT TRACKING; 0 for as many as fit into an eighth of maxmemory.",
            static s => s.TrackingTableKeysMax, static (s, value) => s.TrackingTableKeysMax = value),
        new("latency-tracking", OneOfKind.YesNo, "yes", "Yes: LATENCY HISTOGRAM and INFO latencystats know all calls.")
        {
            IsChangeable = true, IsKept = true, Read = static s => s.TracksLatency ? "yes" : "no",
            Write = static (s, value) => s.TracksLatency = value == "yes",
        },
        new("latency-tracking-info-percentiles", OddKinds.Percentiles, "50 99 99.9",
            "The percentiles in INFO latencystats.")
        {
            IsChangeable = true, IsKept = true, Read = static s => s.LatencyPercentiles,
            Write = static (s, value) => s.LatencyPercentiles = value,
        },
        new("prefix-separator", OddKinds.AsciiCharacter, ":",
            "CACHE PREFIXES tells keys apart by what stands before the second of these.")
        {
            IsChangeable = true, IsKept = true, Read = static s => ((char)s.PrefixSeparator).ToString(),
            Write = static (s, value) => s.PrefixSeparator = (byte)value[0],
        },
    ];

    private static Directive Number(
        string name, NumberKind kind, string value, string meaning, Func<ServerSettings, long> read,
        Action<ServerSettings, long> write) =>
        new(name, kind, value, meaning)
        {
            IsChangeable = true,
            IsKept = true,
            Read = s => read(s).ToString(CultureInfo.InvariantCulture),
            Write = (s, given) => write(s, long.Parse(given, CultureInfo.InvariantCulture)),
        };
}
