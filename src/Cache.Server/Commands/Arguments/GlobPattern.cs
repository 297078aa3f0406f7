namespace Cache.Server.Commands.Arguments;

/// <summary>A glob-style pattern as Redis 7.0 reads it: * ? [a-z] [^a] and \ before any of them.</summary>
/// <remarks>
/// Redis recurses for the pattern after a star, but fails as a whole once the last star has no choice left. So it is
/// enough to remember the last star, without recursion. Redis's oddities are kept: only the empty pattern matches an
/// empty text; ranges compare bytes as signed; an unclosed bracket ends with the pattern.
/// </remarks>
internal readonly ref struct GlobPattern(ReadOnlySpan<byte> pattern, bool ignoreCase = false)
{
    // In Redis the match fails when this many stars, each with something behind it, have been entered.
    private const int StarsMax = 1000;

    // The most bytes of the pattern that are read for one text, about 2 ms. Only patterns made to be slow need more: a
    // star before thousands of equal bytes, on a text of thousands of the same. Their match fails.
    private const int StepsMax = 1 << 20;

    private readonly ReadOnlySpan<byte> _pattern = pattern;
    private readonly bool _ignoreCase = ignoreCase;

    /// <summary>Whether the pattern matches the whole text.</summary>
    public bool IsMatch(ReadOnlySpan<byte> text) => IsMatch(text, out _);

    /// <summary>Whether the pattern matches the whole text, and how many bytes of the pattern were read.</summary>
    public bool IsMatch(ReadOnlySpan<byte> text, out int steps)
    {
        int at = 0;
        int textAt = 0;
        int afterStar = -1;
        int starTextAt = 0;
        int stars = 0;
        steps = 0;
        while (at < _pattern.Length && textAt < text.Length)
        {
            int before = at;
            if (_pattern[at] == (byte)'*')
            {
                at = SkipStars(at);
                steps += at - before;
                if (at == _pattern.Length)
                    return true;
                if (++stars > StarsMax || steps > StepsMax)
                    return false;
                afterStar = at;
                starTextAt = textAt;
                continue;
            }

            bool isMatch = MatchesOne(ref at, text[textAt]);
            steps += at - before;
            if (steps > StepsMax)
                return false;
            if (isMatch && (at < _pattern.Length || textAt + 1 == text.Length))
            {
                textAt++;
                continue;
            }

            if (afterStar < 0 || ++starTextAt == text.Length)
                return false;
            at = afterStar;
            textAt = starTextAt;
        }

        return textAt == text.Length && (text.IsEmpty ? at : SkipStars(at)) == _pattern.Length;
    }

    // One look reads no more bytes of the pattern than are left in all.
    private int EndOfLook(int at) => (int)Math.Min(_pattern.Length, at + StepsMax + 1L);

    private int SkipStars(int at)
    {
        int end = EndOfLook(at);
        while (at < end && _pattern[at] == (byte)'*')
            at++;
        return at;
    }

    /// <summary>
    /// Whether the element at a position of the pattern, not a star, matches a byte; moves behind it.
    /// </summary>
    private bool MatchesOne(ref int at, byte value)
    {
        switch (_pattern[at])
        {
            case (byte)'?':
                at++;
                return true;
            case (byte)'[':
                return MatchesBracket(ref at, value);
            case (byte)'\\' when at + 1 < _pattern.Length:
                at++;
                break;
        }

        return Fold(_pattern[at++]) == Fold(value);
    }

    private bool MatchesBracket(ref int at, byte value)
    {
        at++;
        bool isNegated = ByteAt(at) == '^';
        if (isNegated)
            at++;
        bool isMatch = false;
        int end = EndOfLook(at);
        while (at < end && _pattern[at] != (byte)']')
        {
            if (_pattern[at] == (byte)'\\' && at + 1 < _pattern.Length)
            {
                at++;
                isMatch |= _pattern[at] == value;
            }
            else if (ByteAt(at + 1) == '-' && at + 2 < _pattern.Length)
            {
                isMatch |= IsBetween(value, _pattern[at], _pattern[at + 2]);
                at += 2;
            }
            else
            {
                isMatch |= Fold(_pattern[at]) == Fold(value);
            }

            at++;
        }

        at = Math.Min(at + 1, _pattern.Length);
        return isMatch != isNegated;
    }

    private bool IsBetween(byte value, byte first, byte last)
    {
        if ((sbyte)first > (sbyte)last)
            (first, last) = (last, first);
        sbyte folded = (sbyte)Fold(value);
        return folded >= (sbyte)Fold(first) && folded <= (sbyte)Fold(last);
    }

    private byte Fold(byte value) =>
        _ignoreCase && value is >= (byte)'A' and <= (byte)'Z' ? (byte)(value | 0x20) : value;

    // As in C: a zero follows the end.
    private int ByteAt(int at) => at < _pattern.Length ? _pattern[at] : 0;
}
