using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections;

/// <summary>Removes fields of a hash, or members of a set or a sorted set.</summary>
/// <remarks>from, count: Which of the source's; at most a step's.</remarks>
internal ref struct RemoveNamesEdit<TNames>(EntryKind kind, TNames names, int from, int count)
    : IPackedEdit, IObjectEdit
    where TNames : struct, IKeySource, allows ref struct
{
    /// <summary>The caller's source.</summary>
    public TNames Names = names;

    public readonly EntryKind Kind => kind;

    /// <summary>The number of those that were there.</summary>
    public int Removed { get; private set; }

    public WriteStatus Run(scoped ref PackedEditor editor)
    {
        Removed = 0;
        for (int i = from; i < from + count && editor.Count > 0; i++)
        {
            var name = Names.GetKey(i);
            if (!editor.Table.TryFind(name, PackedPrint.Of(name), out var place))
                continue;
            editor.Remove(place);
            Removed++;
        }

        return Removed > 0 ? WriteStatus.Done : WriteStatus.NotFound;
    }

    public WriteStatus Plan(scoped in ObjectView view, ElementChanges changes)
    {
        Removed = 0;
        for (int i = from; i < from + count; i++)
        {
            var name = Names.GetKey(i);
            bool isFound = kind == EntryKind.Hash ? view.TryFindField(name, out _) : view.TryFindName(name, out _);
            if (isFound)
                changes.Drop(name);
        }

        return changes.Count > 0 ? WriteStatus.Done : WriteStatus.NotFound;
    }

    public readonly void Prepare(scoped ref LongElementMaker maker)
    {
    }

    public void Note(int added, int removed) => Removed = removed;
}
