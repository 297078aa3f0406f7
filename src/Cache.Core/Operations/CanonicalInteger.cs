using System.Buffers.Text;

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
}
