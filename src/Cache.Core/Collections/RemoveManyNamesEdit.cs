using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections;

/// <summary>As <see cref="RemoveNamesEdit{TNames}"/>, of many names.</summary>
internal ref struct RemoveManyNamesEdit<TNames>(EntryKind kind, TNames names, NameTable table)
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
        for (int index = 0, start = 0; index < editor.Count;)
        {
            if (!editor.Table.TryReadAt(index, start, out var place))
                PackedCheck.ThrowDamaged();
            if (table.Find(ref Names, editor.Table.NameAt(place)) < 0)
            {
                index++;
                start = place.End;
                continue;
            }

            editor.Remove(place);
            Removed++;
        }

        return Removed > 0 ? WriteStatus.Done : WriteStatus.NotFound;
    }

    public WriteStatus Plan(scoped in ObjectView view, ElementChanges changes)
    {
        Removed = 0;
        for (int i = 0; i < table.Count; i++)
        {
            var name = Names.GetKey(i);
            if (table.FirstOf(i) == i && view.TryFindName(name, out _))
                changes.Drop(name);
        }

        return changes.Count > 0 ? WriteStatus.Done : WriteStatus.NotFound;
    }

    public readonly void Prepare(scoped ref LongElementMaker maker)
    {
    }

    public void Note(int added, int removed) => Removed = removed;
}
