using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Sets;

/// <summary>Removes members of a set at random, a step's at most.</summary>
internal struct PopMembersEdit(long count, long integersMax, TakenMembers taken) : IPackedEdit, IObjectEdit
{
    // Where so many times fewer stay than go, Redis builds what stays anew, perhaps of integers again.
    private const int RestShare = 5;

    private readonly (int Count, int Length) _before = taken.End;

    public readonly EntryKind Kind => EntryKind.Set;

    /// <summary>How many there were.</summary>
    public long Present { get; private set; }

    public WriteStatus Run(scoped ref PackedEditor editor)
    {
        taken.Truncate(_before);
        Present = editor.Count;
        if (editor.Count == 0)
            return WriteStatus.NotFound;
        bool isRebuilt = count > 1 && count < editor.Count && (editor.Count - count) * RestShare < count;
        for (long left = count; left > 0 && editor.Count > 0; left--)
        {
            if (!editor.Table.TryGetAt(Random.Shared.Next(editor.Count), out var place))
                PackedCheck.ThrowDamaged();
            taken.Add(editor.Table.NameAt(place), score: 0);
            editor.Remove(place);
        }

        if (isRebuilt)
            SetOrder.Restore(ref editor, integersMax);
        return WriteStatus.Done;
    }

    public WriteStatus Plan(scoped in ObjectView view, ElementChanges changes)
    {
        taken.Truncate(_before);
        Present = view.Count;
        if (view.Count == 0)
            return WriteStatus.NotFound;
        long bytesBefore = taken.Bytes;
        Span<uint> ranks = stackalloc uint[ElementChanges.CountMax];
        ranks = ranks[..(int)Math.Min(Math.Min(count, view.Count), ranks.Length)];
        RandomRanks.Choose(ranks, view.Count);
        var tree = view.First<ByHash>();
        foreach (uint rank in ranks)
        {
            var entry = tree.At(rank).Entry;
            taken.Add(view, entry, score: 0);
            changes.Drop(view, entry);
            if (taken.Bytes - bytesBefore >= ElementChanges.LongBytesMax)
                break;
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
