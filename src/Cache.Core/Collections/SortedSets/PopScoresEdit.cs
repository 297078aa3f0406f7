using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.SortedSets;

/// <summary>Removes the lowest or the highest members.</summary>
internal struct PopScoresEdit(long count, bool takesHighest, TakenMembers taken) : IPackedEdit
{
    /// <summary>The removed members.</summary>
    public TakenMembers Taken = taken;

    public readonly EntryKind Kind => EntryKind.SortedSet;

    public WriteStatus Run(scoped ref PackedEditor editor)
    {
        Taken.Clear();
        if (editor.Count == 0)
            return WriteStatus.NotFound;
        var table = editor.Table;
        int removed = (int)Math.Min(count, editor.Count);
        if (removed == 0)
            return WriteStatus.Done;
        var starts = new ElementStarts(table);
        for (int i = 0; i < removed; i++)
        {
            var place = starts[takesHighest ? editor.Count - 1 - i : i];
            Taken.Add(table.NameAt(place), SortedOrder.ScoreAt(table, place));
        }

        int first = takesHighest ? editor.Count - removed : 0;
        editor.RemoveRange(first, removed, starts[first].Start, starts[first + removed - 1].End);
        return WriteStatus.Done;
    }
}
