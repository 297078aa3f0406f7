using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.Lists;

/// <summary>Moves an element from one end of a list to an end of the same list.</summary>
/// <remarks>taken: Gets the element.</remarks>
internal struct RotateEdit(ListEnd from, ListEnd to, TakenMembers taken) : IPackedEdit, IObjectEdit
{
    private PopEdit _pop = new(from, count: 1, taken);

    public readonly EntryKind Kind => EntryKind.List;

    public WriteStatus Run(scoped ref PackedEditor editor)
    {
        var status = _pop.Run(ref editor);
        int position = 0;
        if (status != WriteStatus.Done || !taken.TryMoveNext(ref position, out var element, out _))
            return status;
        return PushEdit<OneName>.TryPush(ref editor, to, element) ? WriteStatus.Done : WriteStatus.CollectionTooLong;
    }

    public readonly WriteStatus Plan(scoped in ObjectView view, ElementChanges changes)
    {
        taken.Clear();
        long last = (long)view.Count - 1;
        if (!view.TryGetAt(from == ListEnd.Left ? 0 : last, out var entry))
            return WriteStatus.NotFound;
        taken.Add(view, entry);
        changes.BeginList(view.NextChange);
        changes.Move(from == ListEnd.Left ? 0 : last, to == ListEnd.Left ? 0 : last);
        return WriteStatus.Done;
    }

    public readonly void Prepare(scoped ref LongElementMaker maker)
    {
    }

    public readonly void Note(int added, int removed)
    {
    }
}
