using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.Lists;

/// <summary>Replaces the element with an index.</summary>
internal ref struct SetElementEdit(long index, ReadOnlySpan<byte> element) : IPackedEdit, IObjectEdit
{
    private readonly ReadOnlySpan<byte> _element = element;

    public readonly EntryKind Kind => EntryKind.List;

    public readonly WriteStatus Run(scoped ref PackedEditor editor)
    {
        if (editor.Count == 0)
            return WriteStatus.NotFound;
        long at = ListRange.Resolve(index, editor.Count);
        if (at < 0 || at >= editor.Count || !editor.Table.TryGetAt((int)at, out var place))
            return WriteStatus.ConditionNotMet;
        return editor.TrySetName(place, _element) ? WriteStatus.Done : WriteStatus.CollectionTooLong;
    }

    public readonly WriteStatus Plan(scoped in ObjectView view, ElementChanges changes)
    {
        long at = ListRange.Resolve(index, view.Count);
        if (at < 0 || at >= view.Count)
            return WriteStatus.ConditionNotMet;
        changes.BeginList(view.NextChange);
        changes.Replace(at, _element);
        return WriteStatus.Done;
    }

    public readonly void Prepare(scoped ref LongElementMaker maker) => ListPlace.Prepare(ref maker, _element);

    public readonly void Note(int added, int removed)
    {
    }
}
