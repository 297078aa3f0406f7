using Cache.Core.Contracts;

namespace Cache.Server.Commands;

/// <summary>Takes the keys that match a pattern into a list.</summary>
internal readonly ref struct MatchingKeySink(ReadOnlySpan<byte> pattern, ByteStringList keys) : IKeySink
{
    private readonly GlobPattern _pattern = new(pattern);

    // Not only faster: by the pattern alone, an empty key would not match.
    private readonly bool _matchesAll = pattern.SequenceEqual("*"u8);

    public void Take(ReadOnlySpan<byte> key)
    {
        if (_matchesAll || _pattern.IsMatch(key))
            keys.Add(key);
    }
}
