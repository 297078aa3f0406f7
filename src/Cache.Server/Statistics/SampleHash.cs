using System.Buffers.Binary;

namespace Cache.Server.Statistics;

/// <summary>A hash of sampled keys and prefixes, by which their tables know them.</summary>
internal static class SampleHash
{
    // Differs between processes: nobody can make keys that are taken for one another.
    private static readonly ulong _seed = (ulong)Random.Shared.NextInt64() | 1;

    public static ulong Of(ReadOnlySpan<byte> key, int database)
    {
        ulong hash = _seed ^ (ulong)(uint)database << 32 ^ (ulong)key.Length;
        for (; key.Length >= sizeof(ulong); key = key[sizeof(ulong)..])
            hash = Mix(hash ^ BinaryPrimitives.ReadUInt64LittleEndian(key));
        ulong rest = 0;
        foreach (byte one in key)
            rest = rest << 8 | one;
        return Mix(Mix(hash ^ rest));
    }

    private static ulong Mix(ulong value)
    {
        ulong high = Math.BigMul(value, 0x9E3779B97F4A7C15, out ulong low);
        return high ^ low ^ value >> 29;
    }
}
