using System.Text;
using Cache.Durability.Rdb;

namespace Cache.Durability.Tests.Rdb;

/// <summary>What a file holds, and the files that Redis 7.0.15 wrote.</summary>
/// <remarks>
/// The recorded files: strings of every encoding with and without expiry in two databases; all types of Redis, with the
/// idle times of `allkeys-lru`; the same with the frequencies of `allkeys-lfu`; streams with groups. The limits of the
/// small encodings were 4 there, so that both encodings of each type are in them.
/// </remarks>
internal static class RdbFile
{
    public static byte[] Recorded(string name)
    {
        using var stream = typeof(RdbFile).Assembly.GetManifestResourceStream(name)!;
        byte[] bytes = new byte[stream.Length];
        stream.ReadExactly(bytes);
        return bytes;
    }

    public static RdbReader Open(byte[] file) => new(new MemoryStream(file));

    public static List<(int Database, string Key, string Value, long? ExpiresAtMs)> Read(byte[] file) =>
        Read(Open(file));

    public static List<(int Database, string Key, string Value, long? ExpiresAtMs)> Read(RdbReader reader)
    {
        List<(int, string, string, long?)> entries = [];
        while (reader.TryRead(out var entry))
        {
            entries.Add((
                entry.Database, Encoding.Latin1.GetString(entry.Key.Span), Encoding.Latin1.GetString(entry.Value.Span),
                entry.ExpiresAtMs));
        }

        return entries;
    }
}
