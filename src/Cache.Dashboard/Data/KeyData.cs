using System.Buffers.Text;
using System.Text;
using System.Text.Json;
using Cache.Core;

namespace Cache.Dashboard.Data;

/// <summary>Keys: some that match a pattern, and one with all about it.</summary>
internal static class KeyData
{
    private const int PageMax = 100;

    // The work of one page: what is visited of the store, about a millisecond a round.
    private const int RoundsMax = 20;
    private const int KeysPerRound = 1000;

    private const int ValueBytesMax = 4096;

    // As wide as the page; a key may have 65,535 bytes.
    private const int KeyBytesShown = 256;

    // Of a key that a page can ask for: longer ones do not fit into the line of a request, and would make a list of
    // megabytes.
    private const int KeyBytesNamed = 4096;

    /// <summary>Some keys that match.</summary>
    /// <param name="json">Gets the members.</param>
    /// <param name="store">The database.</param>
    /// <param name="pattern">As SCAN's; empty: all.</param>
    /// <param name="cursor">0, or where the last page ended.</param>
    public static void WritePage(Utf8JsonWriter json, CacheStore store, string pattern, ulong cursor)
    {
        var keys = new List<byte[]>();
        var sink = new KeyListSink(Encoding.UTF8.GetBytes(pattern), keys, PageMax);
        for (int i = 0; i < RoundsMax; i++)
        {
            cursor = store.Scan(cursor, KeysPerRound, ref sink);
            if (cursor == 0 || sink.IsFull)
                break;
        }

        json.WriteString("cursor", cursor.ToString(System.Globalization.CultureInfo.InvariantCulture));
        json.WriteStartArray("keys");
        foreach (byte[] key in keys)
        {
            if (!store.TryPeekInfo(key, out var info))
                continue;
            json.WriteStartObject();
            WriteInfo(json, key, info);
            json.WriteEndObject();
        }

        json.WriteEndArray();
    }

    /// <summary>All about a key; nothing but that there is none, if so. Does not count as a use.</summary>
    /// <param name="json">Gets the members.</param>
    /// <param name="store">The database.</param>
    /// <param name="key">The key.</param>
    /// <param name="showsValue">Whether the value's beginning is shown.</param>
    public static void WriteOne(Utf8JsonWriter json, CacheStore store, byte[] key, bool showsValue)
    {
        bool exists = store.TryPeekInfo(key, out var info);
        json.WriteBoolean("exists", exists);
        json.WriteBoolean("showsValue", showsValue);
        if (!exists)
            return;
        WriteInfo(json, key, info);
        if (!showsValue || info.Kind != EntryKind.String)
            return;
        var start = default(ValueStart);
        if (store.TryPeekRange(key, 0, ValueBytesMax, ref start, out info))
            json.WriteString("value", KeyText.OfValue(KeyText.Cut(start.Bytes, ValueBytesMax)));
    }

    private static void WriteInfo(Utf8JsonWriter json, byte[] key, in EntryInfo info)
    {
        json.WriteString("id", key.Length <= KeyBytesNamed ? Base64Url.EncodeToString(key) : null);
        json.WriteString("key", KeyText.Of(KeyText.Cut(key, KeyBytesShown)));
        json.WriteBoolean("isCut", key.Length > KeyBytesShown);
        json.WriteNumber("keyLength", key.Length);
        json.WriteString("kind", info.Kind.ToString());
        json.WriteNumber("length", info.Length);
        json.WriteNumber("memory", info.MemoryBytes);
        json.WriteNumber("uses", info.UseCount);
        json.WriteNumber("sliding", info.SlidingMs);
        json.WriteNumber("expiresAt", info.ExpiresAtUnixMs);
    }
}
