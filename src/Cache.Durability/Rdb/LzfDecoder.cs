namespace Cache.Durability.Rdb;

/// <summary>Reads what Redis compressed with LZF, and takes anything for it.</summary>
/// <remarks>
/// A control byte below 32 announces one literal more than it says. Another holds a length less 2 in its high three
/// bits (7: another byte is added) and, with the byte behind, how far back the match begins less 1.
/// Source: the format as Redis 7.0's lzf_d.c reads it.
/// </remarks>
internal static class LzfDecoder
{
    /// <summary>No byte of a block stands for more: three make a match of 264.</summary>
    public const int ExpansionMax = 88;

    private const int LiteralsMax = 32;
    private const int LengthInControlMax = 7;
    private const int MatchLengthMin = 2;

    /// <summary>False for all that is not a block of exactly as many bytes as the target has.</summary>
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
