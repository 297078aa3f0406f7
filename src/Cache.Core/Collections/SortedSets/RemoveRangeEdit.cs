using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;
using Cache.Core.Layout;

namespace Cache.Core.Collections.SortedSets;

/// <summary>Removes the members of a range, of a large sorted set a step's at most.</summary>
/// <remarks>
/// rest: How many of the range are left, as the first step counted them; negative: this is the first one. Ranks behind
/// those that are removed move up, so a step begins where the first one did.
/// </remarks>
internal ref struct RemoveRangeEdit(SortedSetRange range, RangeSlice? rest) : IPackedEdit, IObjectEdit
{
    private readonly SortedSetRange _range = range;

    public readonly EntryKind Kind => EntryKind.SortedSet;

    /// <summary>The number of removed members.</summary>
    public int Removed { get; private set; }

    /// <summary>What is left of the range.</summary>
    public RangeSlice Rest { get; private set; }

    public WriteStatus Run(scoped ref PackedEditor editor)
    {
        Rest = default;
        var slice = RangeSlice.Of(editor.Table, _range);
        if (rest is { } expected && _range.Order == SortedSetOrder.Rank)
            slice = expected.Within(editor.Count);
        Removed = (int)slice.Count;
        if (slice.Count == 0)
            return WriteStatus.NotFound;
        if (!editor.Table.TryGetAt((int)slice.Index, out var first)
            || !editor.Table.TryGetAt((int)(slice.Index + slice.Count) - 1, out var last))
        {
            PackedCheck.ThrowDamaged();
            return WriteStatus.NotFound;
        }

        editor.RemoveRange((int)slice.Index, (int)slice.Count, first.Start, last.End);
        return WriteStatus.Done;
    }

    public WriteStatus Plan(scoped in ObjectView view, ElementChanges changes)
    {
        var slice = rest is { } expected && _range.Order == SortedSetOrder.Rank
            ? expected.Within(view.Count)
            : RangeSlice.Of(view, _range);
        if (rest is { } before) // What others add to the range meanwhile may stay.
            slice = slice.LastOrFirst(before.Count, isLast: _range.IsReversed && _range.Order != SortedSetOrder.Rank);
        (Removed, Rest) = (0, default);
        if (slice.Count == 0)
            return WriteStatus.NotFound;
        long left = Math.Min(slice.Count, ElementChanges.CountMax);
        Rest = slice with { Count = slice.Count - left };
        var cursor = view.Second<ByScore>().At((uint)slice.Index);
        for (; left > 0 && cursor.IsValid; left--, cursor.MoveNext())
            changes.Drop(cursor.Entry.Name);
        return WriteStatus.Done;
    }

    public void Note(int added, int removed) => Removed = removed;
}
