using System.Buffers.Binary;
using System.Numerics;

namespace Cache.Server.Commands.HyperLogLogs;

/// <summary>Which register an element raises, and to what: by MurmurHash64A, as in Redis.</summary>
internal static class HllHash
{
    /// <summary>The bits of a hash of which the lowest that is set counts.</summary>
    public const int CountedBits = 64 - HllFormat.IndexBits;

    private const ulong Seed = 0xADC83B19;
    private const ulong Multiplier = 0xC6A4A7935BD1E995;
    private const int Shift = 47;

    /// <summary>The register of an element, and its value: 1 to <see cref="CountedBits"/> + 1.</summary>
    public static (int Index, int Value) Of(ReadOnlySpan<byte> element)
    {
        ulong hash = Murmur(element);
        int index = (int)(hash & (HllFormat.Registers - 1));
        hash = (hash >> HllFormat.IndexBits) | (1UL << CountedBits); // So that there is an end.
        return (index, BitOperations.TrailingZeroCount(hash) + 1);
    }

    private static ulong Murmur(ReadOnlySpan<byte> text)
    {
        ulong hash = Seed ^ ((ulong)text.Length * Multiplier);
        for (; text.Length >= sizeof(ulong); text = text[sizeof(ulong)..])
        {
            ulong part = BinaryPrimitives.ReadUInt64LittleEndian(text) * Multiplier;
            part ^= part >> Shift;
            hash = (hash ^ (part * Multiplier)) * Multiplier;
        }

        if (!text.IsEmpty)
        {
            ulong rest = 0;
            for (int i = text.Length - 1; i >= 0; i--)
                rest = rest << 8 | text[i];
            hash = (hash ^ rest) * Multiplier;
        }

        hash = (hash ^ (hash >> Shift)) * Multiplier;
        return hash ^ (hash >> Shift);
    }
}
