using System.Text.Json;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Keyspace;

namespace Cache.Dashboard.Data;

/// <summary>What keys take and make, by their prefixes.</summary>
internal static class PrefixData
{
    public static void Write(Utf8JsonWriter json, ServerState server)
    {
        var pass = server.KeyspacePass;
        long wallOffsetMs = (server.UnixSeconds * 1000) - server.NowMs;
        json.WriteNumber("sweptAt", pass is null ? 0 : pass.EndedAtMs + wallOffsetMs);
        json.WriteBoolean("isComplete", pass is { IsComplete: true });
        json.WriteStartArray("prefixes");
        foreach (var row in PrefixRow.Find(server, PrefixRow.OrderOf("SIZE"u8)!))
        {
            json.WriteStartObject();
            json.WriteString("prefix", KeyText.Of(row.Prefix));
            json.WriteNumber("keys", row.Figures.Keys);
            json.WriteNumber("size", row.Figures.Size);
            json.WriteNumber("expiring", row.Figures.Expiring);
            json.WriteNumber("timeToLiveMs", row.MeanTimeToLiveMs);
            json.WriteNumber("reads", row.Figures.Reads);
            json.WriteNumber("hits", row.Figures.Hits);
            json.WriteNumber("writes", row.Figures.Writes);
            json.WriteNumber("bytes", row.Figures.Traffic);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }
}
