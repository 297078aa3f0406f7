using System.Buffers.Binary;
using System.Numerics;
using System.Runtime.InteropServices;

namespace Cache.Durability.Format;

/// <summary>The checksum of the format: CRC32C, in four lanes where there is much to check.</summary>
/// <remarks>
/// One lane waits for the latency of its instruction, three times as long as the next could start. So a payload is
/// divided into four quarters, whose checksums are calculated side by side; the result is the checksum of these four.
/// The runtime uses the processor's instruction where there is one, and a table elsewhere.
/// </remarks>
internal static class Crc32C
{
    private const int Lanes = 4;
    private const int WordBytes = sizeof(ulong);
    private const uint Initial = ~0u;

    /// <summary>The plain checksum, as others define it.</summary>
    public static uint Of(ReadOnlySpan<byte> bytes)
    {
        uint checksum = Initial;
        for (; bytes.Length >= WordBytes; bytes = bytes[WordBytes..])
            checksum = BitOperations.Crc32C(checksum, BinaryPrimitives.ReadUInt64LittleEndian(bytes));
        return ~Tail(checksum, bytes);
    }

    /// <summary>
    /// The checksum of the checksums of four quarters: the first three as long as whole words allow, the last one with
    /// the rest.
    /// </summary>
    public static uint OfQuarters(ReadOnlySpan<byte> bytes)
    {
        int quarter = bytes.Length / Lanes / WordBytes * WordBytes;
        var first = Words(bytes[..quarter]);
        var second = Words(bytes.Slice(quarter, quarter))[..first.Length];
        var third = Words(bytes.Slice(2 * quarter, quarter))[..first.Length];
        var last = Words(bytes.Slice(3 * quarter, quarter))[..first.Length];
        uint a = Initial;
        uint b = Initial;
        uint c = Initial;
        uint d = Initial;
        for (int i = 0; i < first.Length; i++)
        {
            a = BitOperations.Crc32C(a, Little(first[i]));
            b = BitOperations.Crc32C(b, Little(second[i]));
            c = BitOperations.Crc32C(c, Little(third[i]));
            d = BitOperations.Crc32C(d, Little(last[i]));
        }

        d = Tail(d, bytes[(Lanes * quarter)..]);
        uint all = BitOperations.Crc32C(Initial, ~a);
        all = BitOperations.Crc32C(all, ~b);
        all = BitOperations.Crc32C(all, ~c);
        return ~BitOperations.Crc32C(all, ~d);
    }

    private static ReadOnlySpan<ulong> Words(ReadOnlySpan<byte> bytes) => MemoryMarshal.Cast<byte, ulong>(bytes);

    private static ulong Little(ulong word) =>
        BitConverter.IsLittleEndian ? word : BinaryPrimitives.ReverseEndianness(word);

    private static uint Tail(uint checksum, ReadOnlySpan<byte> bytes)
    {
        foreach (byte value in bytes)
            checksum = BitOperations.Crc32C(checksum, value);
        return checksum;
    }
}
