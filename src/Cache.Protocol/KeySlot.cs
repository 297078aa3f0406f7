using System.Diagnostics;

namespace Cache.Protocol;

/// <summary>The slot of a cluster that a key belongs to: CRC16 of its tag, or of all of it.</summary>
internal static class KeySlot
{
    public const int Count = 16384;

    // CCITT (XMODEM): the polynomial x^16 + x^12 + x^5 + 1.
    private const int Polynomial = 0x1021;

    private static readonly ushort[] _table = MakeTable();

    /// <summary>The slot of a key.</summary>
    public static int Of(ReadOnlySpan<byte> key)
    {
        uint crc = 0;
        foreach (byte each in TagOf(key))
            crc = ((crc << 8) & 0xFFFF) ^ _table[(crc >> 8) ^ each];
        Debug.Assert(crc <= ushort.MaxValue);
        return (int)(crc & (Count - 1));
    }

    // What lies between the first brace and the next closing one, if that is something.
    private static ReadOnlySpan<byte> TagOf(ReadOnlySpan<byte> key)
    {
        int open = key.IndexOf((byte)'{');
        if (open < 0)
            return key;
        int length = key[(open + 1)..].IndexOf((byte)'}');
        return length > 0 ? key.Slice(open + 1, length) : key;
    }

    private static ushort[] MakeTable()
    {
        var table = new ushort[256];
        for (int i = 0; i < table.Length; i++)
        {
            int crc = i << 8;
            for (int bit = 0; bit < 8; bit++)
                crc = (crc << 1) ^ ((crc & 0x8000) != 0 ? Polynomial : 0);
            table[i] = (ushort)crc;
        }

        return table;
    }
}
