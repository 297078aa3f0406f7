using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Protocol;
using Cache.Server.Statistics;

namespace Cache.Server.Keyspace;

/// <summary>A hot key with the present length of its value.</summary>
/// <param name="Key">The key and its rates.</param>
/// <param name="Length">The length; 0 if there is no value any more; -1 if a thread holds it, or may.</param>
internal readonly record struct TopKey(HotKey Key, long Length)
{
    /// <summary>The bytes of its values that are read and written in a second, if they are as long as now.</summary>
    public double BytesPerSecond => Key.Rate * Math.Max(0, Length);

    /// <summary>
    /// The comparison of an order: REQUESTS, READS, WRITES or BYTES; null if there is none of that name.
    /// </summary>
    public static Comparison<TopKey>? OrderOf(ReadOnlySpan<byte> name)
    {
        if (name.Is("REQUESTS"u8)) // As of HOTKEYS and the doctor.
            return static (one, other) => other.Key.Rate.CompareTo(one.Key.Rate);
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
        var hot = server.Statistics.GetHotKeys(server.TimeProvider.GetTimestamp());
        long[] lengths = HotKeyLengths.Read(server, hot);
        var keys = new List<TopKey>();
        for (int i = 0; i < hot.Count; i++)
            keys.Add(new TopKey(hot[i], lengths[i]));

        keys.Sort(order);
        return keys;
    }
}
