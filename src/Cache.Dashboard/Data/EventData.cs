using System.Text.Json;
using Cache.Server.Clients;
using Cache.Server.Commands.Dispatch;

namespace Cache.Dashboard.Data;

/// <summary>What happened rarely: waits, denials, limits.</summary>
internal static class EventData
{
    private const int DenialsMax = 128;
    private const int EventsMax = 200; // What somebody reads; CACHE EVENTS tells all.

    public static void Write(Utf8JsonWriter json, ServerState server)
    {
        json.WriteNumber("latencyThreshold", server.Settings.LatencyThresholdMs);
        json.WriteStartArray("waits");
        foreach (var (cause, _, longestMs) in server.LatencyEvents.GetLatest())
        {
            foreach (var sample in server.LatencyEvents.GetSamples(cause))
            {
                json.WriteStartObject();
                json.WriteString("cause", cause);
                json.WriteNumber("at", sample.AtUnixSeconds);
                json.WriteNumber("milliseconds", sample.Milliseconds);
                json.WriteBoolean("isLongest", sample.Milliseconds == longestMs);
                json.WriteEndObject();
            }
        }

        json.WriteEndArray();
        WriteEvents(json, server);
        WriteDenials(json, server);
        WriteLimits(json, server);
    }

    private static void WriteEvents(Utf8JsonWriter json, ServerState server)
    {
        json.WriteStartArray("events");
        foreach (var one in server.Events.GetLast(EventsMax))
        {
            json.WriteStartObject();
            json.WriteNumber("id", one.Id);
            json.WriteNumber("at", one.AtUnixMs / 1000);
            json.WriteString("kind", one.Kind);
            json.WriteString("text", one.Text);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }

    private static void WriteDenials(Utf8JsonWriter json, ServerState server)
    {
        long toWallClock = (server.UnixMicroseconds / 1000) - server.NowMs;
        json.WriteStartArray("denials");
        foreach (var entry in server.AclLog.GetLast(DenialsMax))
        {
            json.WriteStartObject();
            json.WriteNumber("at", (entry.AtMs + toWallClock) / 1000);
            json.WriteString("reason", entry.Denial.ToString());
            json.WriteString("object", KeyText.OfLatin1(entry.Object));
            json.WriteString("user", KeyText.OfLatin1(entry.UserName));
            json.WriteNumber("count", entry.Count);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }

    private static void WriteLimits(Utf8JsonWriter json, ServerState server)
    {
        json.WriteStartArray("limits");
        foreach (var limit in Enum.GetValues<ConnectionLimit>())
        {
            if (server.Limits[limit] == 0)
                continue;
            json.WriteStartObject();
            json.WriteString("name", limit.ToString());
            json.WriteNumber("count", server.Limits[limit]);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }
}
