using System.Text.Json;
using Cache.Core;
using Cache.Server.Commands.Administration;
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
        WriteCurve(json, server.Store.GetHitRatioCurve());
    }

    // Empty until enough reads were seen.
    private static void WriteCurve(Utf8JsonWriter json, HitRatioCurve? curve)
    {
        json.WriteString("advice", CurveAdvice.Of(curve));
        json.WriteNumber("sampledKeys", curve?.SampledKeys ?? 0);
        json.WriteStartArray("curve");
        foreach (var point in curve is { IsKnown: true } ? curve.Points : [])
        {
            json.WriteStartObject();
            json.WriteNumber("scale", point.Scale);
            json.WriteNumber("bytes", point.MemoryLimitBytes);
            json.WriteNumber("ratio", point.HitRatio);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }
}
