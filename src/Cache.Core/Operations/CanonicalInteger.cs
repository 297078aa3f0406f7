using System.Buffers.Text;
using System.Diagnostics;

namespace Cache.Core.Operations;

/// <summary>A 64-bit integer as Redis stores it: no plus sign, no leading zeros, no spaces.</summary>
internal static class CanonicalInteger
{
    /// <summary>The length of the longest, −9223372036854775808.</summary>
    public const int LengthMax = 20;

    public static bool TryParse(ReadOnlySpan<byte> text, out long value)
    {
        value = 0;
        if (text.IsEmpty || text.Length > LengthMax)
            return false;
        var digits = text[0] == (byte)'-' ? text[1..] : text;
        if (digits.IsEmpty || digits[0] is < (byte)'0' or > (byte)'9' || (digits[0] == (byte)'0' && text.Length > 1))
            return false;
        return Utf8Parser.TryParse(text, out value, out int used) && used == text.Length;
    }

    /// <summary>Adds two integers.</summary>
    /// <returns>False if 64 bits do not hold the sum.</returns>
    public static bool TryAdd(long present, long delta, out long sum)
    {
        sum = unchecked(present + delta);
        return ((present ^ sum) & (delta ^ sum)) >= 0;
    }

    /// <summary>Writes an integer.</summary>
    /// <param name="value">The integer.</param>
    /// <param name="text">Room for the longest one.</param>
    /// <returns>Its length.</returns>
    public static int Format(long value, Span<byte> text)
    {
        bool isFormatted = Utf8Formatter.TryFormat(value, text, out int length);
        Debug.Assert(isFormatted, "Twenty digits hold every 64-bit integer.");
        return length;
    }
}
