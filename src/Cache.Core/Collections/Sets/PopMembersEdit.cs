using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.Sets;

/// <summary>Removes members of a set at random.</summary>
internal struct PopMembersEdit(long count, TakenMembers taken) : IPackedEdit
{
    /// <summary>The removed members.</summary>
    public TakenMembers Taken = taken;

    public readonly EntryKind Kind => EntryKind.Set;

    public WriteStatus Run(scoped ref PackedEditor editor)
    {
        Taken.Clear();
        if (editor.Count == 0)
            return WriteStatus.NotFound;
        while (Taken.Count < count && editor.Count > 0)
        {
            if (!editor.Table.TryGetAt(Random.Shared.Next(editor.Count), out var place))
                PackedCheck.ThrowDamaged();
            Taken.Add(editor.Table.NameAt(place), score: 0);
            editor.Remove(place);
        }

        return WriteStatus.Done;
    }
}
