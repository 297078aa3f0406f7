using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.Lists;

/// <summary>Takes a copy of the element at an end, or a reference to a long one; changes nothing.</summary>
internal struct PeekEdit(ListEnd end, TakenMembers taken) : IPackedEdit, IObjectEdit
{
    public readonly EntryKind Kind => EntryKind.List;

    public readonly WriteStatus Run(scoped ref PackedEditor editor)
    {
        taken.Clear();
        if (!editor.Table.TryGetAt(end == ListEnd.Left ? 0 : editor.Count - 1, out var place))
            return WriteStatus.NotFound;
        taken.Add(editor.Table.NameAt(place), score: 0);
        return WriteStatus.Done;
    }

    public readonly WriteStatus Plan(scoped in ObjectView view, ElementChanges changes)
    {
        taken.Clear();
        if (!view.TryGetAt(end == ListEnd.Left ? 0 : (long)view.Count - 1, out var entry))
            return WriteStatus.NotFound;
        taken.Add(view, entry);
        return WriteStatus.Done;
    }

    public readonly void Prepare(scoped ref LongElementMaker maker)
    {
    }

    public readonly void Note(int added, int removed)
    {
    }
}
