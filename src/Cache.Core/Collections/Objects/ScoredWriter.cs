using Cache.Core.Collections.Packed;
using Cache.Core.Collections.Trees;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Objects;

/// <summary>Changes one member of a sorted set in its two trees: in both, or in none.</summary>
/// <remarks>
/// The first tree has each member by its hash, with its score; the second one all members by their scores. Each of them
/// may be refused a page. What was done in the other one is undone then, which may overdraw the budget. Of a long
/// member both have stubs: the first one with the label that orders it in the second (<see cref="MemberLabels"/>).
/// </remarks>
internal ref struct ScoredWriter(ObjectHeap heap, ref ObjectInfo info, uint number)
{
    // A thread has one write at a time: the names of a long member as they were and as they get, and its former score.
    [ThreadStatic]
    private static byte[]? _roomOfThread;

    private readonly ref ObjectInfo _info = ref info;

    /// <summary>Whether something was changed and undone.</summary>
    public bool IsRestored { get; private set; }

    /// <summary>Whether it cannot be made: there is no label for it.</summary>
    public bool IsRefused { get; private set; }

    /// <summary>Gives a member a score, in the form of a packed sorted set.</summary>
    public TreeChange Put(scoped TreeName member, scoped ReadOnlySpan<byte> score)
    {
        scoped var former = default(Place);
        bool exists = TryKeep(member.Ordered, ref former);
        if (exists && former.Score.SequenceEqual(score))
            return TreeChange.None;
        bool isMoved = !exists || ScoreKey.Of(former.Score) != ScoreKey.Of(score);
        scoped var put = new Place { First = member, Second = member, Score = score };
        if (member.IsStub && !TryName(ref put, isMoved ? default : NameStub.LabelOf(former.First.Bytes)))
        {
            IsRefused = true;
            return TreeChange.NoRoom;
        }

        if (isMoved && SetScore(put) == TreeChange.NoRoom)
            return TreeChange.NoRoom;
        var change = SetMember(put);
        if (change == TreeChange.NoRoom && !isMoved)
            return TreeChange.NoRoom;
        if (change != TreeChange.NoRoom && (!exists || !isMoved || RemoveScore(former) != TreeChange.NoRoom))
            return change;
        Restore(put, exists, former);
        return TreeChange.NoRoom;
    }

    /// <summary>Removes a member.</summary>
    /// <param name="member">What it is found by.</param>
    public TreeChange Drop(scoped ReadOnlySpan<byte> member)
    {
        scoped var former = default(Place);
        if (!TryKeep(member, ref former))
            return TreeChange.None;
        if (RemoveScore(former) == TreeChange.NoRoom)
            return TreeChange.NoRoom;
        if (RemoveMember(former) != TreeChange.NoRoom)
            return TreeChange.Removed;
        Restore(former, existed: true, former);
        return TreeChange.NoRoom;
    }

    // What it has in both trees, out of pages that are changed.
    private readonly bool TryKeep(ReadOnlySpan<byte> member, scoped ref Place former)
    {
        former.First = former.Second = new TreeName(member, isStub: false);
        if (!heap.ViewOf(_info).TryFindOrdered(member, out var entry))
            return false;
        var room = (_roomOfThread ??= new byte[4 * TreeEntry.LengthMax + PackedScore.LengthMax]).AsSpan();
        var score = room[(4 * TreeEntry.LengthMax)..][..entry.Value.Length];
        entry.Value.CopyTo(score);
        former.Score = score;
        if (!entry.IsNameStub)
            return true;
        var first = room[..entry.Name.Length];
        entry.Name.CopyTo(first);
        former.First = new TreeName(first, isStub: true);
        former.Second = SecondOf(ElementStub.EndOf(first), NameStub.LabelOf(first), room[TreeEntry.LengthMax..]);
        return true;
    }

    // The names of a long one that is put: with the label that it has, or a new one.
    private readonly bool TryName(scoped ref Place put, scoped ReadOnlySpan<byte> label)
    {
        var room = (_roomOfThread ??= new byte[4 * TreeEntry.LengthMax + PackedScore.LengthMax])
            .AsSpan(2 * TreeEntry.LengthMax);
        var stub = ElementStub.EndOf(put.First.Bytes);
        Span<byte> made = stackalloc byte[MemberLabels.LengthMax];
        if (label.IsEmpty)
        {
            var member = LongName.NameOf(ElementStub.Read(stub).Block);
            int length = MemberLabels.Make(
                heap.ViewOf(_info).Second<ByScore>(), ScoreKey.Of(put.Score), member, made);
            if (length < 0)
                return false;
            label = made[..length];
        }

        int firstLength = NameStub.Write(room, put.First.Ordered, label, stub);
        put.Second = SecondOf(stub, label, room[TreeEntry.LengthMax..]);
        put.First = new TreeName(room[..firstLength], isStub: true);
        return true;
    }

    private static TreeName SecondOf(
        scoped ReadOnlySpan<byte> stub, scoped ReadOnlySpan<byte> label, Span<byte> room)
    {
        Span<byte> ordered = stackalloc byte[MemberLabels.OrderedMax];
        ordered = ordered[..MemberLabels.Write(ordered, LongName.NameOf(ElementStub.Read(stub).Block), label)];
        return new TreeName(room[..NameStub.Write(room, ordered, default, stub)], isStub: true);
    }

    // Whichever of the steps were made.
    private void Restore(scoped Place put, bool existed, scoped Place former)
    {
        IsRestored = true;
        bool before = ObjectHeap.BeginOverdraft();
        try
        {
            bool isRestored = (existed ? SetMember(former) : RemoveMember(put)) != TreeChange.NoRoom
                && (!existed || SetScore(former) != TreeChange.NoRoom)
                && ((existed && ScoreKey.Of(former.Score) == ScoreKey.Of(put.Score))
                    || RemoveScore(put) != TreeChange.NoRoom);
            if (!isRestored)
                ElementWriter.ThrowNotUndone();
        }
        finally
        {
            ObjectHeap.EndOverdraft(before);
        }
    }

    private readonly TreeChange SetMember(scoped Place place) => heap.Set<ByHashWithValue>(
        ref _info.First, ref _info.Epochs, number, heap.HashOf(place.First.Ordered), place.First.With(place.Score));

    private readonly TreeChange RemoveMember(scoped Place place) =>
        Members().Remove(heap.HashOf(place.First.Ordered), place.First.Ordered);

    private readonly TreeChange SetScore(scoped Place place) => heap.Set<ByScore>(
        ref _info.Second, ref _info.Epochs, number, ScoreKey.Of(place.Score), place.Second.With(default));

    private readonly TreeChange RemoveScore(scoped Place place) =>
        Scores().Remove(ScoreKey.Of(place.Score), place.Second.Ordered);

    private readonly TreeWriter<ByHashWithValue> Members() =>
        new(heap.Pages, ref _info.First, ref _info.Epochs, number);

    private readonly TreeWriter<ByScore> Scores() => new(heap.Pages, ref _info.Second, ref _info.Epochs, number);

    // A member's names in both trees, and its score.
    private ref struct Place
    {
        public TreeName First;
        public TreeName Second;
        public ReadOnlySpan<byte> Score;
    }
}
