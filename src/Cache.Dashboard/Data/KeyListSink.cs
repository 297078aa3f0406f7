using Cache.Core;
using Cache.Server.Commands.Arguments;

namespace Cache.Dashboard.Data;

/// <summary>Takes keys that match a pattern, as many as a page has.</summary>
internal ref struct KeyListSink(ReadOnlySpan<byte> pattern, List<byte[]> keys, int countMax) : IKeySink
{
    // Some milliseconds; only patterns that are made to be slow need more for a page.
    private const long StepsMax = 4 << 20;

    private readonly GlobPattern _pattern = new(pattern);
    private readonly bool _matchesAll = pattern.IsEmpty || pattern.SequenceEqual("*"u8);
    private long _steps;

    public readonly bool IsFull => keys.Count >= countMax || _steps > StepsMax;

    public void Take(ReadOnlySpan<byte> key)
    {
        int steps = 0;
        if (_matchesAll || _pattern.IsMatch(key, out steps))
            keys.Add([.. key]);
        _steps += steps;
    }
}
