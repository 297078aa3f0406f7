using System.Buffers.Text;
using System.Diagnostics;
using System.Globalization;

namespace Cache.Protocol;

/// <summary>A double as Redis writes it: as C's printf with %.17g.</summary>
internal static class RespDouble
{
    /// <summary>The length of the longest.</summary>
    public const int LengthMax = 32;

    // Below this, all digits of a whole number are written.
    private const double WholeMax = 1e17;

    /// <summary>Writes a number; not NaN.</summary>
    /// <returns>The length.</returns>
    public static int Format(double number, Span<byte> text)
    {
        Debug.Assert(!double.IsNaN(number) && text.Length >= LengthMax);
        int length;
        if (double.IsInfinity(number))
        {
            var word = number > 0 ? "inf"u8 : "-inf"u8;
            word.CopyTo(text);
            return word.Length;
        }

        bool isWhole = Math.Abs(number) < WholeMax && number == (long)number && !IsNegativeZero(number);
        bool isWritten = isWhole
            ? Utf8Formatter.TryFormat((long)number, text, out length)
            : number.TryFormat(text, out length, "g17", CultureInfo.InvariantCulture);
        Debug.Assert(isWritten, "There is room for 17 digits, sign, point and exponent.");
        return length;
    }

    /// <summary>Writes a whole number with all its digits.</summary>
    /// <returns>The length.</returns>
    public static int FormatWhole(long number, Span<byte> text)
    {
        bool isWritten = Utf8Formatter.TryFormat(number, text, out int length);
        Debug.Assert(isWritten, "There is room for 20 digits.");
        return length;
    }

    private static bool IsNegativeZero(double number) => number == 0 && double.IsNegative(number);
}
