using System.Buffers.Binary;

namespace Cache.Core.Hashing;

/// <summary>Reads the rest of a key after its last whole word.</summary>
internal static class KeyTail
{
    /// <summary>Up to seven bytes as a little-endian number.</summary>
    /// <remarks>
    /// At most three loads that do not overlap: one that did would wait for the stores that built the key.
    /// </remarks>
    public static ulong Read(ReadOnlySpan<byte> tail)
    {
        ulong word = 0;
        int shift = 0;
        if (tail.Length >= 4)
        {
            word = BinaryPrimitives.ReadUInt32LittleEndian(tail);
            tail = tail[4..];
            shift = 32;
        }

        if (tail.Length >= 2)
        {
            word |= (ulong)BinaryPrimitives.ReadUInt16LittleEndian(tail) << shift;
            tail = tail[2..];
            shift += 16;
        }

        return tail.IsEmpty ? word : word | ((ulong)tail[0] << shift);
    }
}
