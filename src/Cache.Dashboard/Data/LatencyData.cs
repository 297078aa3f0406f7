using System.Text.Json;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Statistics;

namespace Cache.Dashboard.Data;

/// <summary>How long commands take: percentiles, and the slow log.</summary>
internal static class LatencyData
{
    private const double MicrosecondsPerSecond = 1e6;
    private const double NanosecondsPerMicrosecond = 1000;

    // More than a screen has, and as many as the slow log keeps by default.
    private const int SlowCallsMax = 128;

    private static readonly (string Name, double Percentage)[] _percentiles =
        [("p50", 50), ("p99", 99), ("p999", 99.9), ("longest", 100)];

    /// <param name="json">Gets the members.</param>
    /// <param name="server">The server.</param>
    /// <param name="showsValues">Whether arguments behind the first may be shown: they are values.</param>
    public static void Write(Utf8JsonWriter json, ServerState server, bool showsValues)
    {
        WriteCommands(json, server);
        json.WriteNumber("slowerThan", server.Settings.SlowLogMicroseconds);
        json.WriteStartArray("slow");
        foreach (var call in server.SlowLog.GetLast(SlowCallsMax))
            WriteSlow(json, call, showsValues);
        json.WriteEndArray();
    }

    private static void WriteCommands(Utf8JsonWriter json, ServerState server)
    {
        var counts = server.Statistics.SumCommands();
        double microsecondsPerTick = MicrosecondsPerSecond / server.TimeProvider.TimestampFrequency;
        json.WriteStartArray("commands");
        foreach (var command in server.Commands.All)
        {
            var count = counts[command.Index];
            if (count.Calls + count.Rejections == 0)
                continue;
            var latencies = server.Statistics.SumLatencies(command.Index);
            json.WriteStartObject();
            json.WriteString("name", command.Name);
            json.WriteNumber("calls", count.Calls);
            json.WriteNumber("failures", count.Failures);
            json.WriteNumber("rejections", count.Rejections);
            json.WriteNumber("total", Math.Round(count.Ticks * microsecondsPerTick));
            json.WriteNumber(
                "average", Math.Round(count.Ticks * microsecondsPerTick / Math.Max(1, count.Calls), 2));
            foreach (var (name, percentage) in _percentiles)
            {
                json.WriteNumber(
                    name, Math.Round(latencies.PercentileOf(percentage) / NanosecondsPerMicrosecond, 2));
            }

            json.WriteEndObject();
        }

        json.WriteEndArray();
    }

    private static void WriteSlow(Utf8JsonWriter json, SlowRequest call, bool showsValues)
    {
        json.WriteStartObject();
        json.WriteNumber("id", call.Id);
        json.WriteNumber("at", call.AtUnixSeconds);
        json.WriteNumber("microseconds", call.Value);
        json.WriteString("client", call.Client);
        json.WriteString("clientName", KeyText.Of(call.ClientName));
        json.WriteStartArray("arguments");
        int shown = showsValues ? call.Arguments.Length : Math.Min(2, call.Arguments.Length);
        for (int i = 0; i < shown; i++)
            json.WriteStringValue(KeyText.Of(call.Arguments[i]));
        json.WriteEndArray();
        json.WriteNumber("hidden", call.Arguments.Length - shown);
        json.WriteEndObject();
    }
}
