using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.Sets;

/// <summary>Removes members of a set at random.</summary>
internal struct PopMembersEdit(long count, long integersMax, TakenMembers taken) : IPackedEdit
{
    // Where so many times fewer stay than go, Redis builds what stays anew, perhaps of integers again.
    private const int RestShare = 5;

    /// <summary>The removed members.</summary>
    public TakenMembers Taken = taken;

    public readonly EntryKind Kind => EntryKind.Set;

    public WriteStatus Run(scoped ref PackedEditor editor)
    {
        Taken.Clear();
        if (editor.Count == 0)
            return WriteStatus.NotFound;
        bool isRebuilt = count > 1 && count < editor.Count && (editor.Count - count) * RestShare < count;
        while (Taken.Count < count && editor.Count > 0)
        {
            if (!editor.Table.TryGetAt(Random.Shared.Next(editor.Count), out var place))
                PackedCheck.ThrowDamaged();
            Taken.Add(editor.Table.NameAt(place), score: 0);
            editor.Remove(place);
        }

        if (isRebuilt)
            SetOrder.Restore(ref editor, integersMax);
        return WriteStatus.Done;
    }
}
