using System.Buffers.Text;
using System.Text.Json;
using Cache.Server.Commands.Administration;
using Cache.Server.Commands.Dispatch;

namespace Cache.Dashboard.Data;

/// <summary>The keys that are used most often, by samples of the last seconds.</summary>
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
            json.WriteNumber("length", one.Length);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }
}
