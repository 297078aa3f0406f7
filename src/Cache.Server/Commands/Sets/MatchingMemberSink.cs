using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Replies;

namespace Cache.Server.Commands.Sets;

/// <summary>Adds the members that match a pattern to a list.</summary>
internal readonly ref struct MatchingMemberSink(ReadOnlySpan<byte> pattern, ByteStringList members) : IMemberSink
{
    private readonly GlobPattern _pattern = new(pattern);

    // Not only faster: the pattern itself would not match an empty member.
    private readonly bool _matchesAll = pattern.SequenceEqual("*"u8);

    public bool IsFull => members.IsTooLong;

    public void Begin(long count)
    {
    }

    public void Take(scoped ReadOnlySpan<byte> member)
    {
        if (_matchesAll || _pattern.IsMatch(member, out _))
            members.Add(member);
    }
}
