using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;
using Cache.Core.Layout;

namespace Cache.Core.Collections.SortedSets;

/// <summary>Removes the members of a range, of a large sorted set a step's at most.</summary>
/// <remarks>
/// rest: What is left of the range, as the steps before know it; null: this is the first one. Each step finds the range
/// anew, since others may remove a part of it, and takes no more than is left.
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
        if (rest is { } before)
            slice = RestOf(before, slice, editor.Count);
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
        var slice = RangeSlice.Of(view, _range);
        if (rest is { } before) // What others add to the range meanwhile may stay.
            slice = RestOf(before, slice, view.Count);
        (Removed, Rest) = (0, default);
        if (slice.Count == 0)
            return WriteStatus.NotFound;
        long left = Math.Min(slice.Count, ElementChanges.CountMax);
        long all = slice.Count;
        var cursor = view.Second<ByScore>().At((uint)slice.Index);
        for (; left > 0 && cursor.IsValid && !changes.IsLong; left--, all--, cursor.MoveNext())
            changes.Drop(view, cursor.Entry);
        Rest = slice with { Count = all };
        return WriteStatus.Done;
    }

    public readonly void Prepare(scoped ref LongElementMaker maker)
    {
    }

    public void Note(int added, int removed) => Removed = removed;

    // A rank that is counted from the end stays where it is, whatever goes before it. One from the beginning stays too,
    // but the end of the range comes nearer with what the steps before have removed.
    private readonly RangeSlice RestOf(RangeSlice before, RangeSlice now, long count)
    {
        if (_range.Order != SortedSetOrder.Rank)
            return now.LastOrFirst(before.Count, _range.IsReversed);
        long first = _range.IsReversed ? ~_range.Last : _range.First;
        long last = _range.IsReversed ? ~_range.First : _range.Last;
        return last < 0 && _range is { Offset: 0, Limit: < 0 }
            ? now.LastOrFirst(before.Count, isLast: first < 0)
            : before.Within(count).LastOrFirst(now.Count, isLast: false);
    }
}
