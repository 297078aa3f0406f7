namespace Cache.Protocol;

/// <summary>A decimal integer in the only form that Redis accepts: no plus sign, no leading zero, no space.</summary>
internal static class RespInteger
{
    /// <summary>The length of the longest, −9223372036854775808.</summary>
    public const int LengthMax = 20;

    /// <summary>Reads a text that is an integer from its first byte to its last.</summary>
    /// <returns>False if it is not, or does not fit 64 bits.</returns>
    public static bool TryParse(ReadOnlySpan<byte> text, out long value)
    {
        value = 0;
        if (text.Length is 0 or > LengthMax)
            return false;
        if (text.Length == 1)
        {
            value = text[0] - '0';
            return (ulong)value <= 9;
        }

        bool negative = text[0] == '-';
        var digits = negative ? text[1..] : text;
        if ((uint)(digits[0] - '1') > 8)
            return false;
        ulong magnitude = 0;
        foreach (byte digit in digits)
        {
            uint next = (uint)(digit - '0');
            if (next > 9 || magnitude > ulong.MaxValue / 10 || magnitude * 10 > ulong.MaxValue - next)
                return false;
            magnitude = magnitude * 10 + next;
        }

        ulong limit = negative ? 1UL << 63 : long.MaxValue;
        value = negative ? (long)(0 - magnitude) : (long)magnitude;
        return magnitude <= limit;
    }
}
