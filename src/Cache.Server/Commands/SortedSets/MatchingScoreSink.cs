using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.SortedSets;

/// <summary>Adds the members that match a pattern to a list, each with its score.</summary>
/// <param name="pattern">The pattern.</param>
/// <param name="found">The list.</param>
/// <param name="isConverted">Whether Redis has no numbers for whole scores any more.</param>
internal readonly ref struct MatchingScoreSink(ReadOnlySpan<byte> pattern, ByteStringList found, bool isConverted)
    : IScoredMemberSink
{
    // In its compact encoding, Redis has whole numbers up to this as such.
    private const double WholeMax = long.MaxValue / 2;

    private readonly GlobPattern _pattern = new(pattern);

    // Not only faster: the pattern itself would not match an empty member.
    private readonly bool _matchesAll = pattern.SequenceEqual("*"u8);

    public bool IsFull => found.IsTooLong;

    public void Begin(long count)
    {
    }

    public void Take(scoped ReadOnlySpan<byte> member, double score)
    {
        if (!_matchesAll && !_pattern.IsMatch(member, out _))
            return;
        Span<byte> text = stackalloc byte[RespDouble.LengthMax];
        found.Add(member);
        int length = !isConverted && Math.Abs(score) <= WholeMax && score == (long)score
            ? RespDouble.FormatWhole((long)score, text)
            : RespDouble.Format(score, text);
        found.Add(text[..length]);
    }
}
