using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Replies;

namespace Cache.Server.Commands.Keys;

/// <summary>Adds the keys that match a pattern to a list.</summary>
internal ref struct MatchingKeySink(ReadOnlySpan<byte> pattern, ByteStringList keys) : IKeySink
{
    // Some 16 ms. Only patterns that are made to be slow reach it within a hundred keys.
    private const long StepsMax = 8 << 20;

    private readonly GlobPattern _pattern = new(pattern);

    // Not only faster: the pattern itself would not match an empty key.
    private readonly bool _matchesAll = pattern.SequenceEqual("*"u8);

    private long _steps;

    /// <summary>
    /// Whether the pattern took so long that other clients of the thread must have a turn, or the keys are too long for
    /// a reply.
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
