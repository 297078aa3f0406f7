using System.Text.Json;
using Cache.Server.Commands.Dispatch;

namespace Cache.Dashboard.Data;

/// <summary>How reads and writes went since the start, or since CONFIG RESETSTAT.</summary>
internal static class HitData
{
    public static void Write(Utf8JsonWriter json, ServerState server)
    {
        var store = server.Store.GetStatistics();
        json.WriteNumber("hits", store.Hits);
        json.WriteNumber("misses", store.Misses);
        json.WriteNumber("evictions", store.Evictions);
        json.WriteNumber("expirations", store.Expirations);
        json.WriteNumber("refusedWrites", store.RefusedWrites);
        json.WriteNumber("keys", store.Count);
        json.WriteNumber("expiring", store.ExpiringCount);
    }
}
