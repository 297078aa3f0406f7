using Cache.Core.Collections.Trees;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Objects;

/// <summary>Changes one field of a large hash; one that expires in two trees: in both, or in none.</summary>
/// <remarks>
/// The first tree has each field by its hash, with its value and its moment; the second one those that expire, by their
/// moments: it tells how many have expired, and which expire next. Hashes of which no field expires have the first
/// alone. Where one tree is refused a page, what was done in the other is undone, which may overdraw the budget.
/// </remarks>
internal ref struct FieldWriter(ObjectHeap heap, ref ObjectInfo info, uint number)
{
    // A thread has one write at a time.
    [ThreadStatic]
    private static byte[]? _elementOfThread;

    private readonly ref ObjectInfo _info = ref info;

    /// <summary>Whether something was changed and undone.</summary>
    public bool IsRestored { get; private set; }

    /// <summary>Gives a field a value, and a moment at which it expires; 0: it does not.</summary>
    /// <returns>Added also where the field was there, and had expired.</returns>
    public TreeChange Put(scoped TreeName name, scoped ReadOnlySpan<byte> value, bool isStub, long moment)
    {
        bool exists = false;
        long former = 0;
        if (_info.Second.Count != 0)
        {
            exists = TryFind(name.Ordered, out var entry);
            former = entry.Moment;
        }

        var change = Change(name, value, isStub, moment, former);
        return exists && change == TreeChange.Replaced && heap.Fields.HasPassed(former) ? TreeChange.Added : change;
    }

    /// <summary>Lets a field expire at a moment, or never; an absent one stays absent.</summary>
    public TreeChange Expire(scoped ReadOnlySpan<byte> name, long moment)
    {
        if (!TryFind(name, out var entry) || entry.Moment == moment)
            return TreeChange.None;
        var room = _elementOfThread ??= new byte[TreeEntry.LengthMax]; // It lies in the page that is changed.
        var value = room.AsSpan(0, entry.Value.Length);
        var stored = room.AsSpan(value.Length, entry.Name.Length);
        entry.Value.CopyTo(value);
        entry.Name.CopyTo(stored);
        return Change(
            new TreeName(stored, entry.IsNameStub), value, entry.IsValueStub, moment, former: entry.Moment);
    }

    /// <summary>Removes a field.</summary>
    /// <returns>Replaced where it had expired: nobody is told of it.</returns>
    public TreeChange Drop(scoped ReadOnlySpan<byte> name)
    {
        if (_info.Second.Count == 0)
            return Fields().Remove(heap.HashOf(name), name);
        if (!TryFind(name, out var entry))
            return TreeChange.None;
        long former = entry.Moment;
        if (former != 0 && RemoveMoment(former, name) == TreeChange.NoRoom)
            return TreeChange.NoRoom;
        var change = Fields().Remove(heap.HashOf(name), name);
        if (change == TreeChange.NoRoom && former != 0)
            RestoreFound(name, former);
        return change == TreeChange.Removed && heap.Fields.HasPassed(former) ? TreeChange.Replaced : change;
    }

    // It is still in the first tree.
    private void RestoreFound(scoped ReadOnlySpan<byte> ordered, long former)
    {
        var room = _elementOfThread ??= new byte[TreeEntry.LengthMax];
        TryFind(ordered, out var entry);
        entry.Name.CopyTo(room);
        Restore(new TreeName(room.AsSpan(0, entry.Name.Length), entry.IsNameStub), 0, former);
    }

    private TreeChange Change(
        scoped TreeName name, scoped ReadOnlySpan<byte> value, bool isStub, long moment, long former)
    {
        bool isMoved = moment != former;
        if (isMoved && moment != 0 && AddMoment(moment, name) == TreeChange.NoRoom)
            return TreeChange.NoRoom;
        if (isMoved && former != 0 && RemoveMoment(former, name.Ordered) == TreeChange.NoRoom)
        {
            Restore(name, moment, former: 0);
            return TreeChange.NoRoom;
        }

        var change = heap.Set<ByHashWithValue>(
            ref _info.First, ref _info.Epochs, number, heap.HashOf(name.Ordered), name.With(value, isStub, moment));
        if (change != TreeChange.NoRoom)
            return change;
        if (isMoved)
            Restore(name, moment, former);
        return TreeChange.NoRoom;
    }

    private readonly bool TryFind(scoped ReadOnlySpan<byte> name, out TreeEntry entry) =>
        heap.ViewOf(_info).TryFindOrdered(name, out entry);

    // In the second tree alone: a moment that was added goes, one that was removed comes back.
    private void Restore(scoped TreeName name, long moment, long former)
    {
        IsRestored = true;
        bool before = ObjectHeap.BeginOverdraft();
        try
        {
            if ((former != 0 && AddMoment(former, name) == TreeChange.NoRoom)
                || (moment != 0 && RemoveMoment(moment, name.Ordered) == TreeChange.NoRoom))
            {
                ElementWriter.ThrowNotUndone();
            }
        }
        finally
        {
            ObjectHeap.EndOverdraft(before);
        }
    }

    private readonly TreeChange AddMoment(long moment, scoped TreeName name) =>
        heap.Set<ByScore>(ref _info.Second, ref _info.Epochs, number, (ulong)moment, name.With(default));

    private readonly TreeChange RemoveMoment(long moment, scoped ReadOnlySpan<byte> name) =>
        Moments().Remove((ulong)moment, name);

    private readonly TreeWriter<ByHashWithValue> Fields() =>
        new(heap.Pages, ref _info.First, ref _info.Epochs, number);

    private readonly TreeWriter<ByScore> Moments() => new(heap.Pages, ref _info.Second, ref _info.Epochs, number);
}
