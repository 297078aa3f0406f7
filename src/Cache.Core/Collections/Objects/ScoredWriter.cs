using Cache.Core.Collections.Packed;
using Cache.Core.Collections.Trees;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Objects;

/// <summary>Changes one member of a sorted set in its two trees: in both, or in none.</summary>
/// <remarks>
/// The first tree has each member by its hash, with its score; the second one all members by their scores. Each of them
/// may be refused a page. What was done in the other one is undone then, which may overdraw the budget.
/// </remarks>
internal ref struct ScoredWriter(ObjectHeap heap, ref ObjectInfo info, uint number)
{
    // A thread has one write at a time.
    [ThreadStatic]
    private static byte[]? _formerOfThread;

    private readonly ref ObjectInfo _info = ref info;

    /// <summary>Whether something was changed and undone.</summary>
    public bool IsRestored { get; private set; }

    /// <summary>Gives a member a score, in the form of a packed sorted set.</summary>
    public TreeChange Put(ReadOnlySpan<byte> member, ReadOnlySpan<byte> score)
    {
        bool exists = TryKeep(member, out var former);
        if (exists && former.SequenceEqual(score))
            return TreeChange.None;
        bool isMoved = !exists || ScoreKey.Of(former) != ScoreKey.Of(score);
        if (isMoved && SetScore(member, score) == TreeChange.NoRoom)
            return TreeChange.NoRoom;
        var change = SetMember(member, score);
        if (change == TreeChange.NoRoom && !isMoved)
            return TreeChange.NoRoom;
        if (change != TreeChange.NoRoom
            && (!exists || !isMoved || RemoveScore(member, former) != TreeChange.NoRoom))
        {
            return change;
        }

        Restore(member, score, exists, former);
        return TreeChange.NoRoom;
    }

    /// <summary>Removes a member.</summary>
    public TreeChange Drop(ReadOnlySpan<byte> member)
    {
        if (!TryKeep(member, out var former))
            return TreeChange.None;
        if (RemoveScore(member, former) == TreeChange.NoRoom)
            return TreeChange.NoRoom;
        if (RemoveMember(member) != TreeChange.NoRoom)
            return TreeChange.Removed;
        Restore(member, former, existed: true, former);
        return TreeChange.NoRoom;
    }

    // The bytes of its score, out of a page that is changed.
    private readonly bool TryKeep(ReadOnlySpan<byte> member, out ReadOnlySpan<byte> former)
    {
        byte[] room = _formerOfThread ??= new byte[PackedScore.LengthMax];
        bool exists = heap.ViewOf(_info).TryFindName(member, out var entry);
        entry.Value.CopyTo(room);
        former = room.AsSpan(0, entry.Value.Length);
        return exists;
    }

    // Whichever of the steps were made.
    private void Restore(
        ReadOnlySpan<byte> member, ReadOnlySpan<byte> score, bool existed, ReadOnlySpan<byte> former)
    {
        IsRestored = true;
        bool before = ObjectHeap.BeginOverdraft();
        try
        {
            bool isRestored = (existed ? SetMember(member, former) : RemoveMember(member)) != TreeChange.NoRoom
                && (!existed || SetScore(member, former) != TreeChange.NoRoom)
                && ((existed && ScoreKey.Of(former) == ScoreKey.Of(score))
                    || RemoveScore(member, score) != TreeChange.NoRoom);
            if (!isRestored)
                ElementWriter.ThrowNotUndone();
        }
        finally
        {
            ObjectHeap.EndOverdraft(before);
        }
    }

    private readonly TreeChange SetMember(ReadOnlySpan<byte> member, ReadOnlySpan<byte> score) =>
        Members().Set(heap.HashOf(member), new TreeEntry(member, score));

    private readonly TreeChange RemoveMember(ReadOnlySpan<byte> member) =>
        Members().Remove(heap.HashOf(member), member);

    private readonly TreeChange SetScore(ReadOnlySpan<byte> member, ReadOnlySpan<byte> score) =>
        Scores().Set(ScoreKey.Of(score), new TreeEntry(member, default));

    private readonly TreeChange RemoveScore(ReadOnlySpan<byte> member, ReadOnlySpan<byte> score) =>
        Scores().Remove(ScoreKey.Of(score), member);

    private readonly TreeWriter<ByHashWithValue> Members() =>
        new(heap.Pages, ref _info.First, ref _info.Epochs, number);

    private readonly TreeWriter<ByScore> Scores() => new(heap.Pages, ref _info.Second, ref _info.Epochs, number);
}
