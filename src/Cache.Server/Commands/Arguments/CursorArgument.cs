namespace Cache.Server.Commands.Arguments;

/// <summary>The cursor of SCAN as a client writes it.</summary>
internal static class CursorArgument
{
    /// <summary>Reads the texts of C's strtoul: an optional sign and digits; a minus counts down from 2^64.</summary>
    /// <returns>False for other texts, or if the number does not fit in 64 bits. An empty text is 0.</returns>
    public static bool TryParse(ReadOnlySpan<byte> text, out ulong cursor)
    {
        cursor = 0;
        int end = text.IndexOf((byte)0);
        if (end >= 0)
            text = text[..end];
        if (text.IsEmpty)
            return true;
        bool isNegative = text[0] == (byte)'-';
        var digits = isNegative || text[0] == (byte)'+' ? text[1..] : text;
        if (digits.IsEmpty)
            return false;
        foreach (byte digit in digits)
        {
            uint next = (uint)(digit - '0');
            if (next > 9 || cursor > ulong.MaxValue / 10 || cursor * 10 > ulong.MaxValue - next)
                return false;
            cursor = cursor * 10 + next;
        }

        if (isNegative)
            cursor = 0 - cursor;
        return true;
    }
}
