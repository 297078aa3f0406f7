using System.Globalization;
using System.Numerics;

namespace Cache.Server.Commands.Arguments;

/// <summary>A text that is a double, read as C's strtod does.</summary>
internal static class CDouble
{
    // Hexadecimal digits that a mantissa takes; a further one that is not 0 only decides a rounding.
    private const int HexDigitsMax = 15;
    private const int MantissaBits = 53;
    private const int ExponentMin = -1074;

    // Of an exponent; more digits change nothing.
    private const int WrittenExponentMax = 100_000_000;

    /// <summary>As Redis reads scores: the whole text, without a blank before, and no larger than a double.</summary>
    public static bool TryParseScore(ReadOnlySpan<byte> text, out double value)
    {
        value = 0;
        if (text.IsEmpty || IsBlank(text[0]))
            return false;
        value = Read(text, out int used, out bool isOutOfRange);
        return used == text.Length && !isOutOfRange && !double.IsNaN(value);
    }

    /// <summary>As Redis reads the ends of ranges: up to a zero byte; nothing is 0.</summary>
    public static bool TryParseLoosely(ReadOnlySpan<byte> text, out double value)
    {
        int end = text.IndexOf((byte)0);
        text = end < 0 ? text : text[..end];
        value = Read(text, out int used, out _);
        return used == text.Length && !double.IsNaN(value);
    }

    /// <summary>Reads the number at the beginning of a text.</summary>
    /// <param name="text">The text.</param>
    /// <param name="used">How much of it is the number, with blanks before; 0: there is none.</param>
    /// <param name="isOutOfRange">Whether it is too large, or so small that it becomes 0.</param>
    private static double Read(ReadOnlySpan<byte> text, out int used, out bool isOutOfRange)
    {
        isOutOfRange = false;
        int start = 0;
        while (start < text.Length && IsBlank(text[start]))
            start++;
        int at = start;
        bool isNegative = at < text.Length && text[at] == (byte)'-';
        if (isNegative || (at < text.Length && text[at] == (byte)'+'))
            at++;
        var rest = text[at..];
        double magnitude;
        if (TryReadWord(rest, out magnitude, out int length))
            used = at + length;
        else if (IsHexadecimal(rest))
        {
            magnitude = ReadHexadecimal(rest[2..], out length, out isOutOfRange);
            used = at + 2 + length;
        }
        else
        {
            magnitude = ReadDecimal(rest, out length, out isOutOfRange);
            used = length == 0 ? 0 : at + length;
        }

        return isNegative ? -magnitude : magnitude;
    }

    private static bool IsBlank(byte text) => text is (byte)' ' or (>= (byte)'\t' and <= (byte)'\r');

    private static bool TryReadWord(ReadOnlySpan<byte> text, out double value, out int length)
    {
        (value, length) = (double.PositiveInfinity, 0);
        if (StartsWith(text, "infinity"u8))
            length = 8;
        else if (StartsWith(text, "inf"u8))
            length = 3;
        else if (StartsWith(text, "nan"u8))
            (value, length) = (double.NaN, text.Length);
        return length > 0;
    }

    private static bool StartsWith(ReadOnlySpan<byte> text, ReadOnlySpan<byte> word) =>
        text.Length >= word.Length && System.Text.Ascii.EqualsIgnoreCase(text[..word.Length], word);

    private static double ReadDecimal(ReadOnlySpan<byte> text, out int length, out bool isOutOfRange)
    {
        length = 0;
        isOutOfRange = false;
        int at = 0;
        int digits = SkipDigits(text, ref at);
        bool isZero = text[..at].IndexOfAnyExcept((byte)'0') < 0;
        if (at < text.Length && text[at] == (byte)'.')
        {
            int point = at++;
            digits += SkipDigits(text, ref at);
            isZero &= text[(point + 1)..at].IndexOfAnyExcept((byte)'0') < 0;
        }

        if (digits == 0)
            return 0;
        length = at;
        if (TrySkipExponent(text, (byte)'e', ref at, out _))
            length = at;
        if (isZero)
            return 0;
        bool isRead = double.TryParse(
            text[..length], NumberStyles.AllowDecimalPoint | NumberStyles.AllowExponent, CultureInfo.InvariantCulture,
            out double value);
        isOutOfRange = !isRead || double.IsInfinity(value) || value == 0;
        return value;
    }

    private static int SkipDigits(ReadOnlySpan<byte> text, ref int at)
    {
        int start = at;
        while (at < text.Length && text[at] is >= (byte)'0' and <= (byte)'9')
            at++;
        return at - start;
    }

    // A letter without digits behind it does not belong to the number.
    private static bool TrySkipExponent(ReadOnlySpan<byte> text, byte letter, ref int at, out int exponent)
    {
        exponent = 0;
        int next = at;
        if (next >= text.Length || (text[next] | 0x20) != letter)
            return false;
        next++;
        bool isNegative = next < text.Length && text[next] == (byte)'-';
        if (isNegative || (next < text.Length && text[next] == (byte)'+'))
            next++;
        int first = next;
        while (next < text.Length && text[next] is >= (byte)'0' and <= (byte)'9')
            exponent = Math.Min(WrittenExponentMax, exponent * 10 + text[next++] - '0');
        if (next == first)
            return false;
        exponent = isNegative ? -exponent : exponent;
        at = next;
        return true;
    }

    // Without a digit behind it, "0x" is a zero and a letter.
    private static bool IsHexadecimal(ReadOnlySpan<byte> text) =>
        text.Length > 2 && text[0] == (byte)'0' && (text[1] | 0x20) == 'x'
        && (HexDigit(text[2]) >= 0 || (text[2] == (byte)'.' && text.Length > 3 && HexDigit(text[3]) >= 0));

    private static int HexDigit(byte text) =>
        text is >= (byte)'0' and <= (byte)'9' ? text - '0'
        : (text | 0x20) is >= 'a' and <= 'f' ? (text | 0x20) - 'a' + 10
        : -1;

    private static double ReadHexadecimal(ReadOnlySpan<byte> text, out int length, out bool isOutOfRange)
    {
        ulong mantissa = 0;
        bool isInexact = false;
        long exponent = 0;
        int kept = 0;
        bool isBehindPoint = false;
        int at = 0;
        for (; at < text.Length; at++)
        {
            if (text[at] == (byte)'.' && !isBehindPoint)
            {
                isBehindPoint = true;
                continue;
            }

            int digit = HexDigit(text[at]);
            if (digit < 0)
                break;
            if (kept < HexDigitsMax)
            {
                mantissa = (mantissa << 4) | (uint)digit;
                kept += mantissa != 0 ? 1 : 0;
                exponent -= isBehindPoint ? 4 : 0;
            }
            else
            {
                isInexact |= digit != 0;
                exponent += isBehindPoint ? 0 : 4;
            }
        }

        if (TrySkipExponent(text, (byte)'p', ref at, out int written))
            exponent += written;
        length = at;
        double value = Scale(mantissa, isInexact, exponent);
        isOutOfRange = mantissa != 0 && (value == 0 || double.IsInfinity(value));
        return value;
    }

    // Rounds once, to the nearest, ties to even; also where the result has fewer bits.
    private static double Scale(ulong mantissa, bool isInexact, long exponent)
    {
        if (mantissa == 0)
            return 0;
        mantissa = (mantissa << 2) | (isInexact ? 1UL : 0); // Two bits below, of which the last says that more follow.
        exponent -= 2;
        int bits = 64 - BitOperations.LeadingZeroCount(mantissa);
        long shift = Math.Max(bits - MantissaBits, ExponentMin - exponent);
        if (shift >= 64)
            return 0;
        if (shift > 0)
        {
            ulong lost = mantissa & ((1UL << (int)shift) - 1);
            ulong half = 1UL << ((int)shift - 1);
            mantissa >>= (int)shift;
            exponent += shift;
            if (lost > half || (lost == half && (mantissa & 1) != 0))
                mantissa++;
        }

        exponent = Math.Clamp(exponent, -2 * WrittenExponentMax, 2 * WrittenExponentMax);
        return Math.ScaleB((double)mantissa, (int)exponent);
    }
}
