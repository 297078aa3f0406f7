using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Replies;

namespace Cache.Server.Commands.Keys;

/// <summary>Takes the keys that match a pattern into a list.</summary>
internal ref struct MatchingKeySink(ReadOnlySpan<byte> pattern, ByteStringList keys) : IKeySink
{
    // Some 16 ms. Other patterns than those that are made to be slow do not come near it within a hundred keys.
    private const long StepsMax = 8 << 20;

    private readonly GlobPattern _pattern = new(pattern);

    // Not only faster: by the pattern alone, an empty key would not match.
    private readonly bool _matchesAll = pattern.SequenceEqual("*"u8);

    private long _steps;

    /// <summary>
    /// Whether the pattern took so long that the other clients of the thread should have their turn, or the keys are
    /// too long for a reply.
    /// </summary>
    public readonly bool IsFull => _steps > StepsMax || keys.IsTooLong;

    public void Take(ReadOnlySpan<byte> key)
    {
        int steps = 0;
        if (_matchesAll || _pattern.IsMatch(key, out steps))
            keys.Add(key);
        _steps += steps;
    }
}
