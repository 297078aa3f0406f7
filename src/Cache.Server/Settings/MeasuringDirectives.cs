using System.Globalization;

namespace Cache.Server.Settings;

/// <summary>The directives of what the server measures: SLOWLOG, LATENCY, percentiles.</summary>
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
        Number("latency-monitor-threshold",
            new NumberKind(0, long.MaxValue, "milliseconds"), "0",
            "LATENCY has what took at least this long; 0 for nothing.",
            static s => s.LatencyThresholdMs, static (s, value) => s.LatencyThresholdMs = value),
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
