using System.Diagnostics;

namespace Cache.Core;

/// <summary>Numbers of 7 bits a byte, the lowest first; the highest bit says that another byte follows.</summary>
internal static class Varint
{
    /// <summary>The bytes of the greatest number.</summary>
    public const int SizeMax = 10;

    private const int Bits = 7;
    private const byte More = 1 << Bits;

    /// <summary>The bytes that a number takes.</summary>
    public static int SizeOf(ulong number)
    {
        int size = 1;
        for (; number >= More; number >>= Bits)
            size++;
        return size;
    }

    /// <summary>The bytes that a string takes with its length.</summary>
    public static long SizeOfBytes(int length) => SizeOf((ulong)length) + (long)length;

    /// <returns>The bytes that were written.</returns>
    public static int Write(Span<byte> at, ulong number)
    {
        int size = 0;
        for (; number >= More; number >>= Bits)
            at[size++] = (byte)(number | More);
        at[size++] = (byte)number;
        return size;
    }

    /// <summary>Writes a string with its length before it.</summary>
    /// <returns>The bytes that were written.</returns>
    public static int WriteBytes(Span<byte> at, ReadOnlySpan<byte> bytes)
    {
        int size = Write(at, (ulong)bytes.Length);
        bytes.CopyTo(at[size..]);
        return size + bytes.Length;
    }

    /// <summary>Reads a number, and goes behind it.</summary>
    /// <returns>False if there is none.</returns>
    public static bool TryRead(scoped ref ReadOnlySpan<byte> from, out ulong number)
    {
        number = 0;
        int most = Math.Min(from.Length, SizeMax);
        for (int i = 0; i < most; i++)
        {
            number |= (ulong)(from[i] & (More - 1)) << (Bits * i);
            if (from[i] >= More)
                continue;
            from = from[(i + 1)..];
            return i < SizeMax - 1 || number >> (Bits * i) <= 1; // The last one has one bit.
        }

        return false;
    }

    /// <summary>Reads a string behind its length, and goes behind it.</summary>
    /// <returns>False if there is none.</returns>
    public static bool TryReadBytes(scoped ref ReadOnlySpan<byte> from, out ReadOnlySpan<byte> bytes)
    {
        bytes = default;
        var rest = from;
        if (!TryRead(ref rest, out ulong length) || length > (ulong)rest.Length)
            return false;
        Debug.Assert(rest.Length <= from.Length);
        bytes = rest[..(int)length];
        from = rest[(int)length..];
        return true;
    }
}
