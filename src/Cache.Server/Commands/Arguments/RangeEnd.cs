using Cache.Core;

namespace Cache.Server.Commands.Arguments;

/// <summary>The ends of ranges of a sorted set, as in (1.5 or [member.</summary>
internal static class RangeEnd
{
    public static bool TryParseScores(
        ReadOnlySpan<byte> min, ReadOnlySpan<byte> max, out ScoreBound minScore, out ScoreBound maxScore)
    {
        maxScore = default;
        return TryParseScore(min, out minScore) && TryParseScore(max, out maxScore);
    }

    public static bool TryParseMembers(
        ReadOnlySpan<byte> min, ReadOnlySpan<byte> max, out MemberBound minMember, out MemberBound maxMember)
    {
        maxMember = default;
        return TryParseMember(min, out minMember) && TryParseMember(max, out maxMember);
    }

    private static bool TryParseScore(ReadOnlySpan<byte> text, out ScoreBound bound)
    {
        bool isExclusive = !text.IsEmpty && text[0] == (byte)'(';
        bool isRead = CDouble.TryParseLoosely(isExclusive ? text[1..] : text, out double score);
        bound = new ScoreBound(score, isExclusive);
        return isRead;
    }

    private static bool TryParseMember(ReadOnlySpan<byte> text, out MemberBound bound)
    {
        bound = default;
        if (text.IsEmpty)
            return false;
        switch (text[0])
        {
            case (byte)'(':
                bound = MemberBound.Without(text[1..]);
                return true;
            case (byte)'[':
                bound = MemberBound.At(text[1..]);
                return true;
            case (byte)'-' when text.Length == 1 || text[1] == 0:
                bound = MemberBound.Lowest;
                return true;
            case (byte)'+' when text.Length == 1 || text[1] == 0:
                bound = MemberBound.Highest;
                return true;
            default:
                return false;
        }
    }
}
