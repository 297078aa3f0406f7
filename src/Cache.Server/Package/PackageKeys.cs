using System.Text.Json;
using Cache.Server.Commands.Administration;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Keyspace;

namespace Cache.Server.Package;

/// <summary>The hot and the large keys, their prefixes, and what other limits would answer.</summary>
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

    public static void WriteLargest(Utf8JsonWriter json, PackageSource source)
    {
        json.WriteStartArray();
        foreach (var key in source.Server.KeyspacePass?.Largest ?? [])
        {
            json.WriteStartObject();
            json.WriteString("key", source.Names.OfKey(key.Key));
            json.WriteNumber("db", key.Database);
            json.WriteNumber("size", key.MemoryBytes);
            json.WriteNumber("length", key.Length);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }

    public static void WritePrefixes(Utf8JsonWriter json, PackageSource source)
    {
        json.WriteStartArray();
        foreach (var row in PrefixRow.Find(source.Server, PrefixRow.OrderOf("SIZE"u8)!))
        {
            json.WriteStartObject();
            json.WriteString("prefix", row.IsRest ? "(others)" : source.Names.OfPrefix(row.Prefix));
            json.WriteNumber("keys", row.Figures.Keys);
            json.WriteNumber("size", row.Figures.Size);
            json.WriteNumber("expiring", row.Figures.Expiring);
            json.WriteNumber("ttl-ms", row.MeanTimeToLiveMs);
            json.WriteNumber("reads-per-second", row.Figures.Reads);
            json.WriteNumber("hits-per-second", row.Figures.Hits);
            json.WriteNumber("writes-per-second", row.Figures.Writes);
            json.WriteNumber("bytes-per-second", row.Figures.Traffic);
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
