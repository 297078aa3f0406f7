using System.Text.Json;
using Cache.Server.Commands.Administration;
using Cache.Server.Commands.Dispatch;

namespace Cache.Server.Package;

/// <summary>The hot keys, and what other limits would answer.</summary>
internal static class PackageKeys
{
    public static void Write(Utf8JsonWriter json, PackageSource source)
    {
        json.WriteStartArray();
        foreach (var key in TopKey.Find(source.Server, TopKey.OrderOf("BYTES"u8)!))
        {
            json.WriteStartObject();
            json.WriteString("key", source.Names.OfKey(key.Key.Key));
            json.WriteNumber("db", key.Key.Database);
            json.WriteNumber("reads-per-second", key.Key.ReadsPerSecond);
            json.WriteNumber("writes-per-second", key.Key.WritesPerSecond);
            json.WriteNumber("bytes-per-second", key.BytesPerSecond);
            json.WriteNumber("length", key.Length);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }

    public static void WriteCurve(Utf8JsonWriter json, ServerState server)
    {
        var curve = server.Store.GetHitRatioCurve();
        json.WriteStartObject();
        json.WriteBoolean("known", curve is { IsKnown: true });
        json.WriteNumber("sampled-keys", curve?.SampledKeys ?? 0);
        json.WriteStartArray("points");
        foreach (var point in curve?.Points ?? [])
        {
            json.WriteStartObject();
            json.WriteNumber("scale", point.Scale);
            json.WriteNumber("bytes", point.MemoryLimitBytes);
            json.WriteNumber("hit-ratio", Math.Round(point.HitRatio, CurveAdvice.Digits));
            json.WriteEndObject();
        }

        json.WriteEndArray();
        json.WriteString("advice", CurveAdvice.Of(curve));
        json.WriteEndObject();
    }
}
