using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Replies;

namespace Cache.Server.Commands.Hashes;

/// <summary>Adds the fields whose names match a pattern to a list, each with its value.</summary>
internal readonly ref struct MatchingFieldSink(ReadOnlySpan<byte> pattern, ByteStringList fields) : IFieldSink
{
    private readonly GlobPattern _pattern = new(pattern);

    // Not only faster: the pattern itself would not match an empty name.
    private readonly bool _matchesAll = pattern.SequenceEqual("*"u8);

    public bool IsFull => fields.IsTooLong;

    public void Begin(long count)
    {
    }

    public void Take(scoped ReadOnlySpan<byte> field, scoped ReadOnlySpan<byte> value)
    {
        if (!_matchesAll && !_pattern.IsMatch(field, out _))
            return;
        fields.Add(field);
        fields.Add(value);
    }
}
