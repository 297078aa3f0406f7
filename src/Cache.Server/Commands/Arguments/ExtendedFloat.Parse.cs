using System.Numerics;

namespace Cache.Server.Commands.Arguments;

/// <summary>Parsing: accepts the texts of C's strtold, except for a leading space and "nan".</summary>
internal readonly partial record struct ExtendedFloat
{
    // An exponent that 5 KB of digits cannot compensate.
    private const int WrittenExponentMax = 1_000_000;

    // Beyond these powers of ten a number is infinite or zero, with any digits.
    private const int DecimalMagnitudeMax = 5000;

    private const int DigitsPerStep = 18;

    // To read, add and write a number of 4,900 digits takes about 3 ms; one of half as many digits, a quarter of that.
    private const int DigitPairsPerStep = 4;

    /// <summary>Reads a number: decimal or hexadecimal, with or without point and exponent, or "inf".</summary>
    /// <returns>False if the text is no number, or one that is too large, or so small that it becomes zero.</returns>
    public static bool TryParse(ReadOnlySpan<byte> text, out ExtendedFloat value)
    {
        value = default;
        if (text.Length is 0 or > TextLengthMax)
            return false;
        bool isNegative = text[0] == (byte)'-';
        var rest = isNegative || text[0] == (byte)'+' ? text[1..] : text;
        if (IsWord(rest, "inf"u8) || IsWord(rest, "infinity"u8))
        {
            value = Infinity;
            return true;
        }

        bool isHexadecimal = rest.Length > 2 && rest[0] == (byte)'0' && (rest[1] | 0x20) == 'x';
        bool isNumber = isHexadecimal ? TryParseHexadecimal(rest[2..], out value) : TryParseDecimal(rest, out value);
        if (isNegative)
            value = new ExtendedFloat(-value._mantissa, value._exponent);
        return isNumber;
    }

    /// <summary>
    /// The steps of about a nanosecond that calculating with the number in a text takes, estimated from its length and
    /// exponent.
    /// </summary>
    public static long FindWork(ReadOnlySpan<byte> text)
    {
        if (text.Length > TextLengthMax)
            return 0; // Not a number.
        int end = text.IndexOfAny("eEpP"u8);
        long digits = text.Length;
        if (end >= 0 && TryReadExponent(text[end..], (char)(text[end] | 0x20), out int exponent))
            digits = end + Math.Min(Math.Abs(exponent), DecimalMagnitudeMax);
        return digits * digits / DigitPairsPerStep;
    }

    private static bool IsWord(ReadOnlySpan<byte> text, ReadOnlySpan<byte> word) =>
        System.Text.Ascii.EqualsIgnoreCase(text, word);

    private static bool TryParseDecimal(ReadOnlySpan<byte> text, out ExtendedFloat value)
    {
        value = default;
        if (!TryReadDigits(ref text, 10, out var digits, out int fraction)
            || !TryReadExponent(text, 'e', out int exponent))
            return false;
        if (digits.IsZero)
            return true;
        exponent -= fraction;
        double magnitude = BigInteger.Log10(digits) + exponent;
        if (Math.Abs(magnitude) > DecimalMagnitudeMax)
            return false;
        var power = BigInteger.Pow(10, Math.Abs(exponent));
        bool isRounded = exponent >= 0
            ? TryRound(digits * power, BigInteger.One, 0, out value)
            : TryRound(digits, power, 0, out value);
        return isRounded && !value._mantissa.IsZero;
    }

    private static bool TryParseHexadecimal(ReadOnlySpan<byte> text, out ExtendedFloat value)
    {
        value = default;
        if (!TryReadDigits(ref text, 16, out var digits, out int fraction)
            || !TryReadExponent(text, 'p', out int exponent))
            return false;
        if (digits.IsZero)
            return true;
        exponent -= fraction * 4;
        return TryRound(digits, BigInteger.One, exponent, out value) && !value._mantissa.IsZero;
    }

    /// <summary>Reads digits and perhaps a point among them, at least one digit.</summary>
    private static bool TryReadDigits(ref ReadOnlySpan<byte> text, int radix, out BigInteger digits, out int fraction)
    {
        digits = BigInteger.Zero;
        fraction = 0;
        int count = 0;
        ulong step = 0;
        ulong stepScale = 1;
        bool isBehindPoint = false;
        for (; !text.IsEmpty; text = text[1..])
        {
            if (text[0] == (byte)'.' && !isBehindPoint)
            {
                isBehindPoint = true;
                continue;
            }

            int digit = DigitOf(text[0], radix);
            if (digit < 0)
                break;
            count++;
            fraction += isBehindPoint ? 1 : 0;
            step = (step * (uint)radix) + (uint)digit;
            stepScale *= (uint)radix;
            if (count % (radix == 10 ? DigitsPerStep : DigitsPerStep - 3) != 0)
                continue;
            digits = (digits * stepScale) + step;
            step = 0;
            stepScale = 1;
        }

        digits = (digits * stepScale) + step;
        return count > 0;
    }

    private static int DigitOf(byte text, int radix)
    {
        int digit = text is >= (byte)'0' and <= (byte)'9' ? text - '0'
            : (text | 0x20) is >= 'a' and <= 'f' ? (text | 0x20) - 'a' + 10
            : radix;
        return digit < radix ? digit : -1;
    }

    /// <summary>Reads the rest behind the digits: nothing, or a letter and a decimal exponent.</summary>
    private static bool TryReadExponent(ReadOnlySpan<byte> text, char letter, out int exponent)
    {
        exponent = 0;
        if (text.IsEmpty)
            return true;
        if ((text[0] | 0x20) != letter)
            return false;
        text = text[1..];
        bool isNegative = !text.IsEmpty && text[0] == (byte)'-';
        if (isNegative || (!text.IsEmpty && text[0] == (byte)'+'))
            text = text[1..];
        if (text.IsEmpty)
            return false;
        foreach (byte digit in text)
        {
            if (digit is < (byte)'0' or > (byte)'9')
                return false;
            exponent = Math.Min(WrittenExponentMax, (exponent * 10) + digit - '0');
        }

        if (isNegative)
            exponent = -exponent;
        return true;
    }
}
