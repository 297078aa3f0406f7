using System.Buffers.Binary;
using System.Numerics;
using System.Runtime.InteropServices;

namespace Cache.Durability.Format;

/// <summary>The checksum of the format: CRC32C, in four lanes for long payloads.</summary>
/// <remarks>
/// One lane waits for the latency of its instruction, three times the time after which the next could start. So a
/// payload is divided into quarters, whose checksums are computed in parallel, and then combined to that of the whole
/// (source: zlib's crc32_combine). In a checksum of the four checksums, equal errors in two quarters could cancel each
/// other.
/// The runtime uses the processor's instruction if there is one, and a table otherwise.
/// </remarks>
internal static class Crc32C
{
    private const int Lanes = 4;
    private const int WordBytes = sizeof(ulong);
    private const uint Initial = ~0u;
    private const uint One = 1u << 31;
    private const uint Polynomial = 0x82F63B78;

    // Combining the quarters takes as long as a few thousand bytes.
    private const int QuartersLengthMin = 16 << 10;

    /// <summary>The standard checksum.</summary>
    public static uint Of(ReadOnlySpan<byte> bytes)
    {
        uint checksum = Initial;
        for (; bytes.Length >= WordBytes; bytes = bytes[WordBytes..])
            checksum = BitOperations.Crc32C(checksum, BinaryPrimitives.ReadUInt64LittleEndian(bytes));
        return ~Tail(checksum, bytes);
    }

    /// <summary>The same checksum, computed by quarters for long input.</summary>
    public static uint OfQuarters(ReadOnlySpan<byte> bytes)
    {
        if (bytes.Length < QuartersLengthMin)
            return Of(bytes);
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
        uint shift = PowerOfX(8L * quarter);
        uint all = Multiply(shift, ~a) ^ ~b;
        all = Multiply(shift, all) ^ ~c;
        return Multiply(PowerOfX(8L * (bytes.Length - 3 * quarter)), all) ^ ~d;
    }

    // A checksum times this is that of the same bytes followed by this many zero bits; so an exclusive or combines the
    // checksums of two parts.
    private static uint PowerOfX(long exponent)
    {
        uint result = One;
        for (uint power = One >> 1; exponent != 0; exponent >>= 1, power = Multiply(power, power))
        {
            if ((exponent & 1) != 0)
                result = Multiply(power, result);
        }

        return result;
    }

    // Multiplies polynomials modulo that of the checksum; the highest bit is the coefficient of 1.
    private static uint Multiply(uint left, uint right)
    {
        uint product = 0;
        for (; left != 0; left <<= 1)
        {
            if ((left & One) != 0)
                product ^= right;
            right = (right >> 1) ^ ((right & 1) != 0 ? Polynomial : 0);
        }

        return product;
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
