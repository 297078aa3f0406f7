using System.Text;
using Cache.Durability.Rdb;

namespace Cache.Tool.Tests;

/// <summary>RDB files: written by ourselves, and those of Redis 7.0.15.</summary>
internal static class DumpFile
{
    public static byte[] Recorded(string name)
    {
        using var stream = typeof(DumpFile).Assembly.GetManifestResourceStream(name)!;
        byte[] bytes = new byte[stream.Length];
        stream.ReadExactly(bytes);
        return bytes;
    }

    public static void Write(string path, IEnumerable<(int Database, string Key, string Value, long? AtMs)> entries)
    {
        using var stream = File.Create(path);
        var writer = new RdbWriter(stream, DateTimeOffset.UnixEpoch);
        foreach (var (database, key, value, atMs) in entries)
        {
            writer.Write(new RdbEntry(
                database, Encoding.Latin1.GetBytes(key), Encoding.Latin1.GetBytes(value), atMs));
        }

        writer.WriteEnd();
    }

    /// <summary>Entries as they are, behind the header of a version without a checksum.</summary>
    public static void WriteRaw(string path, byte[][] entries) =>
        File.WriteAllBytes(path, [.. "REDIS0003"u8, .. entries.SelectMany(static entry => entry), 255]);

    /// <summary>The entries of a file, in the order of their keys.</summary>
    public static List<(int Database, string Key, string Value, long? AtMs)> Read(string path)
    {
        using var stream = File.OpenRead(path);
        var reader = new RdbReader(stream);
        List<(int, string, string, long?)> entries = [];
        while (reader.TryRead(out var entry))
        {
            entries.Add((
                entry.Database, Encoding.Latin1.GetString(entry.Key.Span), Encoding.Latin1.GetString(entry.Value.Span),
                entry.ExpiresAtMs));
        }

        Assert.True(reader.IsChecksummed);
        return [.. entries.Order()];
    }
}
