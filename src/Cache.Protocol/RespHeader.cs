using System.Buffers.Text;
using System.Diagnostics;

namespace Cache.Protocol;

/// <summary>The line before what it counts: a type byte, a number, CR LF. Requests and replies have the same.</summary>
internal static class RespHeader
{
    /// <summary>The length of the longest: a type byte, 20 digits, CR LF.</summary>
    public const int LengthMax = 23;

    /// <summary>Writes one.</summary>
    /// <returns>The length.</returns>
    public static int Write(Span<byte> room, byte type, long number)
    {
        Debug.Assert(room.Length >= LengthMax);
        room[0] = type;
        int digits = WriteDigits(room[1..], number);
        room[digits + 1] = (byte)'\r';
        room[digits + 2] = (byte)'\n';
        return digits + 3;
    }

    // Most numbers are lengths of values, and mostly short.
    private static int WriteDigits(Span<byte> room, long number)
    {
        if ((ulong)number >= 1000)
        {
            bool isWritten = Utf8Formatter.TryFormat(number, room, out int digits);
            Debug.Assert(isWritten, "There is room for sign and digits.");
            return digits;
        }

        uint rest = (uint)number;
        int count = rest >= 100 ? 3 : rest >= 10 ? 2 : 1;
        for (int i = count - 1; i >= 0; i--)
        {
            (rest, uint digit) = Math.DivRem(rest, 10u);
            room[i] = (byte)('0' + digit);
        }

        return count;
    }
}
