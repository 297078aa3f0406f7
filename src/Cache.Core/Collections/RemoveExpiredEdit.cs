using Cache.Core.Changes;
using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;
using Cache.Core.Layout;

namespace Cache.Core.Collections;

/// <summary>Removes fields of a hash that have expired; of a large one a step's, the earliest first.</summary>
internal struct RemoveExpiredEdit(long nowMs) : IPackedEdit, IObjectEdit
{
    public readonly EntryKind Kind => EntryKind.Hash;

    /// <summary>What observers are told of a write by an edit: that of this one, or another cause.</summary>
    public static ChangeCause CauseOf<TEdit>(ChangeCause other = ChangeCause.Written)
        where TEdit : struct, allows ref struct =>
        typeof(TEdit) == typeof(RemoveExpiredEdit) ? ChangeCause.Expired : other;

    /// <summary>Whether there may be more.</summary>
    public bool IsMore { get; private set; }

    // Every write of a small one begins with that.
    public WriteStatus Run(scoped ref PackedEditor editor)
    {
        IsMore = false;
        return WriteStatus.Done;
    }

    public WriteStatus Plan(scoped in ObjectView view, ElementChanges changes)
    {
        IsMore = false;
        uint expired = Math.Min(view.CountExpired(nowMs), ElementChanges.CountMax);
        var cursor = view.Second<ByScore>().At(0);
        for (; changes.Count < expired && cursor.IsValid && !changes.IsLong; cursor.MoveNext())
            changes.Drop(view, cursor.Entry);
        IsMore = changes.Count == ElementChanges.CountMax || changes.IsLong;
        return changes.Count > 0 ? WriteStatus.Done : WriteStatus.NotFound;
    }

    public readonly void Prepare(scoped ref LongElementMaker maker)
    {
    }

    public readonly void Note(int added, int removed)
    {
    }
}
