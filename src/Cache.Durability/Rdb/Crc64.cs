using System.Buffers.Binary;

namespace Cache.Durability.Rdb;

/// <summary>The checksum of RDB files: CRC-64 with the Jones polynomial, reflected, without inversions.</summary>
/// <remarks>
/// Eight bytes per step with eight tables. Source: Sarwate's table, and slicing by eight of Kounavis and Berry (2005).
/// The check value of "123456789" is e9c6d914c4b8d9ca.
/// </remarks>
internal static class Crc64
{
    private const ulong ReflectedPolynomial = 0x95AC9329AC4BC9B5;
    private const int Slices = 8;

    private static readonly ulong[] s_tables = MakeTables();

    /// <summary>Continues from the checksum of the bytes before; that of no bytes is 0.</summary>
    public static ulong Append(ulong sum, ReadOnlySpan<byte> bytes)
    {
        ReadOnlySpan<ulong> tables = s_tables;
        for (; bytes.Length >= Slices; bytes = bytes[Slices..])
        {
            ulong word = sum ^ BinaryPrimitives.ReadUInt64LittleEndian(bytes);
            sum = 0;
            for (int slice = Slices - 1; slice >= 0; slice--, word >>= 8)
                sum ^= tables[slice << 8 | (byte)word];
        }

        foreach (byte next in bytes)
            sum = tables[(byte)(sum ^ next)] ^ (sum >> 8);
        return sum;
    }

    private static ulong[] MakeTables()
    {
        ulong[] tables = new ulong[Slices << 8];
        for (int first = 0; first < 256; first++)
        {
            ulong sum = (ulong)first;
            for (int bit = 0; bit < 8; bit++)
                sum = (sum >> 1) ^ ((sum & 1) == 0 ? 0 : ReflectedPolynomial);
            tables[first] = sum;
        }

        // The n-th table: the checksum after n more zero bytes.
        for (int place = 256; place < tables.Length; place++)
            tables[place] = tables[(byte)tables[place - 256]] ^ (tables[place - 256] >> 8);
        return tables;
    }
}
