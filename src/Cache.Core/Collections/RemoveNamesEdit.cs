using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections;

/// <summary>Removes fields of a hash, or members of a set or a sorted set.</summary>
internal ref struct RemoveNamesEdit<TNames>(EntryKind kind, TNames names) : IPackedEdit
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
        for (int i = 0; i < Names.Count && editor.Count > 0; i++)
        {
            var name = Names.GetKey(i);
            if (!editor.Table.TryFind(name, PackedPrint.Of(name), out var place))
                continue;
            editor.Remove(place);
            Removed++;
        }

        return Removed > 0 ? WriteStatus.Done : WriteStatus.NotFound;
    }
}
