using Cache.Core.Collections;
using Cache.Core.Collections.SortedSets;

namespace Cache.Core;

/// <summary>A sorted set as it was at one moment, made by <see cref="SortedSetKey.TakeSnapshot"/>.</summary>
/// <remarks>
/// Reads of it agree with each other, whatever is written meanwhile, and hold no lock. Dispose it soon: of a large
/// sorted set, what is overwritten meanwhile stays in memory.
/// <example><code>
/// using SortedSetSnapshot board = store.SortedSet("board"u8).TakeSnapshot(out ReadStatus status);
/// if (board.TryGetScore("ada"u8, out double score))
/// {
///     long better = board.GetCount(SortedSetRange.ByScore(score, ScoreBound.Highest)) - 1;
/// }
/// </code></example>
/// </remarks>
public ref struct SortedSetSnapshot : IDisposable
{
    private CollectionCopy _copy;
    private bool _isDisposed;

    internal SortedSetSnapshot(CollectionCopy copy) => _copy = copy;

    /// <summary>The number of members; 0 if the key was absent or of another kind.</summary>
    public readonly long Count => _copy.IsObject ? _copy.View.Count : _copy.Table.Count;

    /// <summary>The number of members in a range.</summary>
    public readonly long GetCount(scoped in SortedSetRange range) => RangeTelling.CountOf(_copy, range);

    /// <summary>The score of a member.</summary>
    /// <returns>False if there was no such member.</returns>
    public readonly bool TryGetScore(scoped ReadOnlySpan<byte> member, out double score)
    {
        double? found = RangeTelling.ScoreOf(_copy, member);
        score = found ?? 0;
        return found is not null;
    }

    /// <summary>Tells a sink the members of a range in its order.</summary>
    public readonly void GetRange<TSink>(scoped in SortedSetRange range, ref TSink sink)
        where TSink : struct, IScoredMemberSink, allows ref struct =>
        RangeTelling.Tell(_copy, range, ref sink);

    /// <summary>Gives back what it held; reads are not allowed any more.</summary>
    public void Dispose()
    {
        if (_isDisposed)
            return;
        _isDisposed = true;
        _copy.Dispose();
    }
}
