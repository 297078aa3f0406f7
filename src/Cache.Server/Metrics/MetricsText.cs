using System.Buffers;
using System.Globalization;
using Cache.Server.Commands.Administration;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Table;
using Cache.Server.Statistics;

namespace Cache.Server.Metrics;

/// <summary>The text of /metrics: the figures of INFO for Prometheus.</summary>
/// <remarks>
/// Labels come from fixed sets (commands, databases, limits) and from error codes, of which at most 128 are counted: no
/// client can make the text grow without bound.
/// </remarks>
internal static class MetricsText
{
    private const double MicrosecondsPerSecond = 1e6;
    private const double NanosecondsPerMicrosecond = 1000;
    private const double MillisecondsPerSecond = 1000;
    private const double Percent = 100;

    // Classes of durations that end at a power of two of nanoseconds, the first of which is about a microsecond.
    private const long FirstBucketNanoseconds = 1024;

    /// <summary>Writes all metrics.</summary>
    /// <param name="server">The server.</param>
    /// <param name="target">Gets the text.</param>
    public static void Write(ServerState server, IBufferWriter<byte> target)
    {
        var writer = new PrometheusWriter(target);
        var fields = InfoFields.Read(server);
        WriteInstance(writer, server, fields);
        WriteFields(writer, fields);
        WriteDatabases(writer, server);
        WriteCommands(writer, server);
        WriteLatencies(writer, server);
        WriteErrors(writer, server);
        WriteSlowCalls(writer, server);
        WriteLimits(writer, fields);
        WriteStore(writer, server);
        WriteCurve(writer, server);
        RuntimeMetrics.Write(writer);
    }

    private static void WriteCurve(PrometheusWriter writer, ServerState server)
    {
        if (server.Store.GetHitRatioCurve() is not { IsKnown: true } curve)
            return;
        writer.Begin(
            "cache_hit_ratio_estimate", MetricKind.Gauge, "What this multiple of maxmemory would answer, 0 to 1.");
        foreach (var point in curve.Points)
            writer.Sample(point.HitRatio, new MetricLabel("scale", point.Scale.ToString(CultureInfo.InvariantCulture)));
    }

    private static void WriteInstance(PrometheusWriter writer, ServerState server, Dictionary<string, string> fields)
    {
        writer.One("redis_up", MetricKind.Gauge, "1: the server answers.", 1);
        writer.Begin("redis_instance_info", MetricKind.Gauge, "What the server is; always 1.");
        writer.Sample(
            1, Label("role"), Label("redis_version"), Label("redis_build_id"), Label("redis_mode"), Label("os"),
            Label("maxmemory_policy"), Label("tcp_port"), Label("run_id"), Label("process_id"),
            Label("master_replid"));
        writer.Begin("cache_info", MetricKind.Gauge, "The version of this server; always 1.");
        writer.Sample(1, new MetricLabel("version", ServerState.Version));
        writer.One(
            "cache_serving", MetricKind.Gauge, "1: all commands are served; 0: files are loaded, or cannot be written.",
            server.IsServing ? 1 : 0);
        long uptimeMs = server.NowMs - server.StartedAtMs;
        double startedAt = (server.UnixMicroseconds / MicrosecondsPerSecond) - (uptimeMs / MillisecondsPerSecond);
        writer.One(
            "redis_start_time_seconds", MetricKind.Gauge, "When the server started, in Unix seconds.",
            Math.Round(startedAt));
        writer.One(
            "redis_config_maxmemory", MetricKind.Gauge, "The parameter maxmemory.", server.Store.MemoryLimitBytes);
        writer.One(
            "redis_config_maxclients", MetricKind.Gauge, "The parameter maxclients.", server.Settings.MaxClients);

        MetricLabel Label(string name) => new(name, fields.GetValueOrDefault(name, ""));
    }

    private static void WriteFields(PrometheusWriter writer, Dictionary<string, string> fields)
    {
        foreach (var metric in InfoMetrics.All)
        {
            if (ValueOf(fields, metric.Field) is { } value)
                writer.One(metric.Name, metric.Kind, metric.Help, value * metric.Scale);
        }
    }

    // Statuses are words in INFO.
    private static double? ValueOf(Dictionary<string, string> fields, string field) =>
        fields.GetValueOrDefault(field) switch
        {
            null => null,
            "ok" => 1,
            "err" => 0,
            var text => double.TryParse(text, NumberStyles.Float, CultureInfo.InvariantCulture, out double value)
                ? value
                : null,
        };

    private static void WriteDatabases(PrometheusWriter writer, ServerState server)
    {
        writer.Begin("redis_db_keys", MetricKind.Gauge, "Keys of a database.");
        for (int i = 0; i < server.Databases.Count; i++)
            writer.Sample(server.Databases[i].Count, Database(i));
        writer.Begin("redis_db_keys_expiring", MetricKind.Gauge, "Keys of a database that expire.");
        for (int i = 0; i < server.Databases.Count; i++)
            writer.Sample(server.Databases[i].ExpiringCount, Database(i));

        static MetricLabel Database(int number) => new("db", "db" + number.ToString(CultureInfo.InvariantCulture));
    }

    private static void WriteCommands(PrometheusWriter writer, ServerState server)
    {
        var counts = server.Statistics.SumCommands();
        double ticksPerSecond = server.TimeProvider.TimestampFrequency;
        Write("redis_commands_total", "Calls of a command.", static (in CommandCount one) => one.Calls, 1);
        Write(
            "redis_commands_duration_seconds_total", "The time of all calls of a command.",
            static (in CommandCount one) => one.Ticks, ticksPerSecond);
        Write(
            "redis_commands_rejected_calls_total", "Requests that were refused before the call.",
            static (in CommandCount one) => one.Rejections, 1);
        Write(
            "redis_commands_failed_calls_total", "Calls that replied an error.",
            static (in CommandCount one) => one.Failures, 1);

        void Write(string name, string help, Figure figure, double divisor)
        {
            writer.Begin(name, MetricKind.Counter, help);
            foreach (var command in server.Commands.All)
            {
                ref readonly var count = ref counts[command.Index];
                if (count.Calls + count.Rejections > 0)
                    writer.Sample(figure(count) / divisor, Command(command));
            }
        }
    }

    private delegate long Figure(in CommandCount count);

    private static MetricLabel Command(CommandDefinition command) => new("cmd", command.Name);

    private static void WriteLatencies(PrometheusWriter writer, ServerState server)
    {
        if (!server.Settings.TracksLatency)
            return;
        var counts = server.Statistics.SumCommands();
        double microsecondsPerTick = MicrosecondsPerSecond / server.TimeProvider.TimestampFrequency;
        var quantiles = QuantilesOf(server.Settings.LatencyPercentiles);
        var called = new List<(CommandDefinition Command, LatencyCounts Latencies, double Sum)>();
        foreach (var command in server.Commands.All)
        {
            if (counts[command.Index].Calls > 0 && server.Statistics.SumLatencies(command.Index) is { Total: > 0 } sums)
                called.Add((command, sums, counts[command.Index].Ticks * microsecondsPerTick));
        }

        writer.Begin(
            "redis_latency_percentiles_usec", MetricKind.Summary, "Percentiles of the durations of a command's calls.");
        foreach (var (command, latencies, sum) in called)
        {
            foreach (var (percentile, quantile) in quantiles)
            {
                writer.Sample(
                    latencies.PercentileOf(percentile) / NanosecondsPerMicrosecond, Command(command),
                    new MetricLabel("quantile", quantile));
            }

            writer.Sample("_sum", sum, Command(command));
            writer.Sample("_count", latencies.Total, Command(command));
        }

        writer.Begin(
            "redis_commands_latencies_usec", MetricKind.Histogram, "The durations of a command's calls.");
        foreach (var (command, latencies, sum) in called)
            WriteBuckets(writer, command, latencies, sum);
    }

    // Each once, though the parameter may have one twice: a series has one sample.
    private static List<(double Percentile, string Quantile)> QuantilesOf(string percentiles)
    {
        var quantiles = new List<(double Percentile, string Quantile)>();
        foreach (string word in percentiles.Split(' ', StringSplitOptions.RemoveEmptyEntries))
        {
            double percentile = double.Parse(word, CultureInfo.InvariantCulture);
            string quantile = (percentile / Percent).ToString("0.######", CultureInfo.InvariantCulture);
            if (!quantiles.Exists(one => one.Quantile == quantile))
                quantiles.Add((percentile, quantile));
        }

        return quantiles;
    }

    // The bounds are the same for all commands and in each scrape, as aggregation needs them.
    private static void WriteBuckets(
        PrometheusWriter writer, CommandDefinition command, LatencyCounts latencies, double sum)
    {
        long calls = 0;
        for (int i = 0; i < latencies.Counts.Length; i++)
        {
            calls += latencies.Counts[i];
            long end = LatencyHistogram.LongestOf(i) + 1;
            if (end < FirstBucketNanoseconds || !long.IsPow2(end))
                continue;
            string bound = (end / NanosecondsPerMicrosecond).ToString(CultureInfo.InvariantCulture);
            writer.Sample("_bucket", calls, Command(command), new MetricLabel("le", bound));
        }

        writer.Sample("_bucket", calls, Command(command), new MetricLabel("le", "+Inf"));
        writer.Sample("_sum", sum, Command(command));
        writer.Sample("_count", calls, Command(command));
    }

    private static void WriteErrors(PrometheusWriter writer, ServerState server)
    {
        writer.Begin("redis_errors_total", MetricKind.Counter, "Error replies by their first word.");
        foreach (var (code, count) in server.Statistics.GetErrors().ByCode)
            writer.Sample(count, new MetricLabel("err", code));
    }

    private static void WriteSlowCalls(PrometheusWriter writer, ServerState server)
    {
        var last = server.SlowLog.GetLast(1);
        writer.One("redis_slowlog_length", MetricKind.Gauge, "Entries of the slow log.", server.SlowLog.Count);
        writer.One(
            "redis_slowlog_last_id", MetricKind.Gauge, "The number of its youngest entry.",
            last.Count == 0 ? 0 : last[0].Id);
        writer.One(
            "redis_last_slow_execution_duration_seconds", MetricKind.Gauge, "How long that call took.",
            last.Count == 0 ? 0 : last[0].Value / MicrosecondsPerSecond);
        var latest = server.LatencyEvents.GetLatest();
        writer.Begin("redis_latency_spike_last", MetricKind.Gauge, "When the last latency event was, in Unix seconds.");
        foreach (var (cause, sample, _) in latest)
            writer.Sample(sample.AtUnixSeconds, new MetricLabel("event_name", cause));
        writer.Begin("redis_latency_spike_duration_seconds", MetricKind.Gauge, "How long it took.");
        foreach (var (cause, sample, _) in latest)
            writer.Sample(sample.Milliseconds / MillisecondsPerSecond, new MetricLabel("event_name", cause));
    }

    private static void WriteLimits(PrometheusWriter writer, Dictionary<string, string> fields)
    {
        writer.Begin("cache_client_limits_total", MetricKind.Counter, "How often clients met a limit.");
        foreach (string field in InfoMetrics.Limits)
        {
            if (ValueOf(fields, field) is { } value)
                writer.Sample(value, new MetricLabel("limit", field));
        }
    }

    private static void WriteStore(PrometheusWriter writer, ServerState server)
    {
        var store = server.Store.GetStatistics();
        writer.One("cache_keys", MetricKind.Gauge, "Entries of all databases.", store.Count);
        writer.One("cache_keys_expiring", MetricKind.Gauge, "Of these, entries that expire.", store.ExpiringCount);
        writer.One(
            "cache_refused_writes_total", MetricKind.Counter, "Writes that found no room.", store.RefusedWrites);
    }
}
