using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.SortedSets;

/// <summary>Removes the members of a range.</summary>
internal ref struct RemoveRangeEdit(SortedSetRange range) : IPackedEdit
{
    private readonly SortedSetRange _range = range;

    public readonly EntryKind Kind => EntryKind.SortedSet;

    /// <summary>The number of removed members.</summary>
    public int Removed { get; private set; }

    public WriteStatus Run(scoped ref PackedEditor editor)
    {
        var slice = RangeSlice.Of(editor.Table, _range);
        Removed = slice.Count;
        if (slice.Count == 0)
            return WriteStatus.NotFound;
        if (!editor.Table.TryGetAt(slice.Index, out var first)
            || !editor.Table.TryGetAt(slice.Index + slice.Count - 1, out var last))
        {
            PackedCheck.ThrowDamaged();
            return WriteStatus.NotFound;
        }

        editor.RemoveRange(slice.Index, slice.Count, first.Start, last.End);
        return WriteStatus.Done;
    }
}
