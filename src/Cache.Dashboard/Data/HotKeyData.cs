using System.Buffers.Text;
using System.Text.Json;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Keyspace;
using Cache.Server.Statistics;

namespace Cache.Dashboard.Data;

/// <summary>
/// The keys that are used most often, by samples of the last seconds, and those that take most memory.
/// </summary>
internal static class HotKeyData
{
    private const int KeysMax = 20;

    public static void Write(Utf8JsonWriter json, ServerState server)
    {
        var keys = TopKey.Find(server, static (one, other) => other.Key.Rate.CompareTo(one.Key.Rate));
        json.WriteStartArray("keys");
        foreach (var one in keys.Take(KeysMax))
        {
            json.WriteStartObject();
            json.WriteString("id", Base64Url.EncodeToString(one.Key.Key));
            json.WriteString("key", KeyText.Of(one.Key.Key));
            json.WriteNumber("database", one.Key.Database);
            json.WriteNumber("reads", one.Key.ReadsPerSecond);
            json.WriteNumber("writes", one.Key.WritesPerSecond);
            json.WriteNumber("bytes", one.BytesPerSecond);
            if (one.Length == HotKeyLengths.Unknown)
                json.WriteNull("length");
            else
                json.WriteNumber("length", one.Length);
            json.WriteEndObject();
        }

        json.WriteEndArray();
        WriteLargest(json, server.KeyspacePass?.Largest ?? []);
    }

    // The id of a key that is not whole names no entry.
    private static void WriteLargest(Utf8JsonWriter json, IReadOnlyList<LargeKey> keys)
    {
        json.WriteStartArray("largest");
        foreach (var one in keys)
        {
            json.WriteStartObject();
            json.WriteString("id", one.Key.Length < LargestKeys.KeyLengthMax
                ? Base64Url.EncodeToString(one.Key)
                : "");
            json.WriteString("key", KeyText.Of(one.Key));
            json.WriteNumber("database", one.Database);
            json.WriteNumber("memory", one.MemoryBytes);
            json.WriteNumber("length", one.Length);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }
}
