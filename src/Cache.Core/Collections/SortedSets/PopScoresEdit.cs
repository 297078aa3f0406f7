using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;
using Cache.Core.Layout;

namespace Cache.Core.Collections.SortedSets;

/// <summary>Removes the lowest or the highest members, a step's at most.</summary>
internal struct PopScoresEdit(long count, bool takesHighest, TakenMembers taken) : IPackedEdit, IObjectEdit
{
    private readonly (int Count, int Length) _before = taken.End;

    public readonly EntryKind Kind => EntryKind.SortedSet;

    /// <summary>How many there were.</summary>
    public long Present { get; private set; }

    public WriteStatus Run(scoped ref PackedEditor editor)
    {
        taken.Truncate(_before);
        Present = editor.Count;
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
            taken.Add(table.NameAt(place), SortedOrder.ScoreAt(table, place));
        }

        int first = takesHighest ? editor.Count - removed : 0;
        editor.RemoveRange(first, removed, starts[first].Start, starts[first + removed - 1].End);
        return WriteStatus.Done;
    }

    public WriteStatus Plan(scoped in ObjectView view, ElementChanges changes)
    {
        taken.Truncate(_before);
        Present = view.Count;
        if (view.Count == 0)
            return WriteStatus.NotFound;
        long left = Math.Min(count, ElementChanges.CountMax), bytesBefore = taken.Bytes;
        var cursor = view.Second<ByScore>().At(takesHighest ? view.Count - 1 : 0);
        for (; left > 0 && cursor.IsValid; left--)
        {
            MemberView.TakeAt(view, cursor, taken);
            changes.Drop(view, cursor.Entry);
            if (taken.Bytes - bytesBefore >= ElementChanges.LongBytesMax)
                break;
            if (takesHighest)
                cursor.MovePrevious();
            else
                cursor.MoveNext();
        }

        return WriteStatus.Done;
    }

    public readonly void Prepare(scoped ref LongElementMaker maker)
    {
    }

    public readonly void Note(int added, int removed)
    {
    }
}
