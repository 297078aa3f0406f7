using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Lists;

/// <summary>Takes elements from one end of a list, of a large one a step's at most.</summary>
/// <remarks>count: At least 1. taken: Gets the elements, from the end on.</remarks>
internal struct PopEdit(ListEnd end, long count, TakenMembers taken) : IPackedEdit, IObjectEdit
{
    private readonly (int Count, int Length) _before = taken.End;

    public readonly EntryKind Kind => EntryKind.List;

    /// <summary>How many there were.</summary>
    public long Present { get; private set; }

    public WriteStatus Run(scoped ref PackedEditor editor)
    {
        taken.Truncate(_before);
        Present = editor.Count;
        if (editor.Count == 0)
            return WriteStatus.NotFound;
        int removed = (int)Math.Min(count, editor.Count);
        int first = end == ListEnd.Left ? 0 : editor.Count - removed;
        var table = editor.Table;
        for (int i = 0; i < removed; i++)
        {
            if (!table.TryGetAt(end == ListEnd.Left ? i : editor.Count - 1 - i, out var place))
                PackedCheck.ThrowDamaged();
            taken.Add(table.NameAt(place), score: 0);
        }

        editor.RemoveRange(
            first, removed, table.StartAt(first), table.StartAt(first + removed));
        return WriteStatus.Done;
    }

    public WriteStatus Plan(scoped in ObjectView view, ElementChanges changes)
    {
        taken.Truncate(_before);
        Present = view.Count;
        if (view.Count == 0)
            return WriteStatus.NotFound;
        long removed = Math.Min(Math.Min(count, view.Count), ElementChanges.CountMax);
        var cursor = view.First<ByPosition>().At(end == ListEnd.Left ? 0 : view.Count - 1);
        for (long left = removed; left > 0 && cursor.IsValid; left--)
        {
            taken.Add(view, cursor.Entry);
            if (end == ListEnd.Left)
                cursor.MoveNext();
            else
                cursor.MovePrevious();
        }

        changes.BeginList(view.NextChange);
        changes.DropFrom(end == ListEnd.Left ? 0 : view.Count - removed, removed);
        return WriteStatus.Done;
    }

    public readonly void Prepare(scoped ref LongElementMaker maker)
    {
    }

    public readonly void Note(int added, int removed)
    {
    }
}
