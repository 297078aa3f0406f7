namespace Cache.Durability.Rdb;

/// <summary>Decodes LZF, with which Redis compresses strings, from untrusted bytes.</summary>
/// <remarks>
/// A control byte below 32 is a number of literals, less 1. Any other has a match length less 2 in its high three bits
/// (7: another byte is added) and, with the next byte, the distance of the match less 1. Source: Redis 7.0's lzf_d.c.
/// </remarks>
internal static class LzfDecoder
{
    /// <summary>The most decoded bytes per byte of a block: three make a match of 264.</summary>
    public const int ExpansionMax = 88;

    private const int LiteralsMax = 32;
    private const int LengthInControlMax = 7;
    private const int MatchLengthMin = 2;

    /// <summary>False unless the source is a block that decodes to exactly the length of the target.</summary>
    public static bool TryDecode(ReadOnlySpan<byte> source, Span<byte> target)
    {
        int input = 0, output = 0;
        while (input < source.Length)
        {
            int control = source[input++];
            if (control < LiteralsMax)
            {
                int literals = control + 1;
                if (literals > source.Length - input || literals > target.Length - output)
                    return false;
                source.Slice(input, literals).CopyTo(target[output..]);
                input += literals;
                output += literals;
                continue;
            }

            int length = control >> 5;
            if (source.Length - input < (length == LengthInControlMax ? 2 : 1))
                return false;
            if (length == LengthInControlMax)
                length += source[input++];
            length += MatchLengthMin;
            int from = output - ((control & (LiteralsMax - 1)) << 8 | source[input++]) - 1;
            if (from < 0 || length > target.Length - output)
                return false;
            for (int end = output + length; output < end; output++, from++)
                target[output] = target[from];
        }

        return output == target.Length;
    }
}
