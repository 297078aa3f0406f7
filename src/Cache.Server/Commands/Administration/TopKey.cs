using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Protocol;
using Cache.Server.Statistics;

namespace Cache.Server.Commands.Administration;

/// <summary>A hot key with the present length of its value.</summary>
/// <param name="Key">The key and its rates.</param>
/// <param name="Length">The length; 0 if there is no value any more.</param>
internal readonly record struct TopKey(HotKey Key, long Length)
{
    /// <summary>The bytes of its values that are read and written in a second, if they are as long as now.</summary>
    public double BytesPerSecond => Key.Rate * Length;

    /// <summary>The comparison of an order: READS, WRITES or BYTES; null if there is none of that name.</summary>
    public static Comparison<TopKey>? OrderOf(ReadOnlySpan<byte> name)
    {
        if (name.Is("READS"u8))
            return static (one, other) => other.Key.ReadsPerSecond.CompareTo(one.Key.ReadsPerSecond);
        if (name.Is("WRITES"u8))
            return static (one, other) => other.Key.WritesPerSecond.CompareTo(one.Key.WritesPerSecond);
        return name.Is("BYTES"u8)
            ? static (one, other) => other.BytesPerSecond.CompareTo(one.BytesPerSecond)
            : null;
    }

    /// <summary>The hot keys of a server, in an order.</summary>
    public static List<TopKey> Find(ServerState server, Comparison<TopKey> order)
    {
        var keys = new List<TopKey>();
        foreach (var key in server.Statistics.GetHotKeys(server.TimeProvider.GetTimestamp()))
        {
            bool isThere = server.Databases[key.Database].TryPeekInfo(key.Key, out var info);
            keys.Add(new TopKey(key, isThere ? info.Length : 0));
        }

        keys.Sort(order);
        return keys;
    }
}
