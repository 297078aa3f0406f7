using System.Globalization;
using System.Text;
using Cache.Server.Commands.Arguments;

namespace Cache.Server.Commands.Sorting;

/// <summary>A text as a number, as C's strtod reads it: up to its first zero byte, with blanks before it.</summary>
internal static class SortWeight
{
    // The least double with all its digits; what is smaller is out of range for strtod.
    private const double NormalMin = 2.2250738585072014E-308;

    /// <returns>False if the text is none, NaN, or too large or too small for a double.</returns>
    public static bool TryParse(ReadOnlySpan<byte> text, out double weight)
    {
        weight = 0;
        int end = text.IndexOf((byte)0);
        if (end >= 0)
            text = text[..end];
        if (text.IsEmpty)
            return true; // Where strtod has read nothing, and has come to the end.
        text = text.TrimStart(" \t\n\v\f\r"u8);
        bool isNegative = text.StartsWith("-"u8);
        var digits = isNegative || text.StartsWith("+"u8) ? text[1..] : text;
        if (!TryParseMagnitude(digits, out weight))
            return false;
        weight = isNegative ? -weight : weight;
        return true;
    }

    private static bool TryParseMagnitude(ReadOnlySpan<byte> digits, out double magnitude)
    {
        magnitude = double.PositiveInfinity;
        if (Ascii.EqualsIgnoreCase(digits, "inf"u8) || Ascii.EqualsIgnoreCase(digits, "infinity"u8))
            return true;
        magnitude = 0;
        if (digits.IsEmpty || (digits[0] != '.' && !char.IsAsciiDigit((char)digits[0])))
            return false;
        bool isHexadecimal = digits.StartsWith("0x"u8) || digits.StartsWith("0X"u8);
        if (!(isHexadecimal ? TryParseHexadecimal(digits, out magnitude) : TryParseDecimal(digits, out magnitude)))
            return false;
        if (isHexadecimal)
            digits = digits[2..];
        return double.IsFinite(magnitude) && (magnitude >= NormalMin || IsZero(digits, isHexadecimal));
    }

    private static bool TryParseDecimal(ReadOnlySpan<byte> digits, out double magnitude) => double.TryParse(
        digits, NumberStyles.AllowDecimalPoint | NumberStyles.AllowExponent, CultureInfo.InvariantCulture,
        out magnitude);

    private static bool TryParseHexadecimal(ReadOnlySpan<byte> digits, out double magnitude)
    {
        magnitude = 0;
        if (!ExtendedFloat.TryParse(digits, out var number))
            return false;
        magnitude = number.ToDouble();
        return true;
    }

    // Before its exponent there are only zeros.
    private static bool IsZero(ReadOnlySpan<byte> digits, bool isHexadecimal)
    {
        int end = isHexadecimal ? digits.IndexOfAny((byte)'p', (byte)'P') : digits.IndexOfAny((byte)'e', (byte)'E');
        return !(end < 0 ? digits : digits[..end]).ContainsAnyExcept((byte)'0', (byte)'.');
    }
}
