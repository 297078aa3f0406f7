using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections;

/// <summary>Makes of a collection's elements what a journal says; of an absent key, nothing.</summary>
/// <remarks>
/// A large collection was made of a small one, whose record comes before: so an absent key was evicted, and a part of
/// its elements would be a collection that never was.
/// </remarks>
internal ref struct StoredChangesEdit(EntryKind kind, ReadOnlySpan<byte> changes) : IPackedEdit, IObjectEdit
{
    private readonly ReadOnlySpan<byte> _changes = changes;

    public readonly EntryKind Kind => kind;

    public readonly WriteStatus Run(scoped ref PackedEditor editor)
    {
        if (editor.Count == 0)
            return WriteStatus.NotFound;
        if (kind == EntryKind.List)
            return StoredListChanges.Run(ref editor, _changes);
        var reader = new ElementReader(_changes);
        while (reader.TryRead())
        {
            bool exists = editor.Table.TryFind(reader.Name, PackedPrint.Of(reader.Name), out var place);
            var status = WriteStatus.Done;
            if (reader.Action == ElementAction.Put)
                status = Put(ref editor, reader, exists ? place : null);
            else if (exists && reader.Action == ElementAction.Expire)
                status = editor.TrySetMoment(place, reader.Moment) ? status : WriteStatus.CollectionTooLong;
            else if (exists)
                editor.Remove(place);
            if (status != WriteStatus.Done)
                return status;
        }

        return WriteStatus.Done;
    }

    // Sets that were large stay told as such.
    private readonly WriteStatus Put(
        scoped ref PackedEditor editor, scoped in ElementReader element, PackedPlace? place)
    {
        if (kind == EntryKind.Hash)
            return SetFieldEdit.Put(ref editor, element.Name, place, element.Value);
        editor.Flags |= PackedTable.ConvertedFlag;
        if (kind == EntryKind.Set)
        {
            return place is not null || editor.TryAdd(element.Name, element.Value)
                ? WriteStatus.Done
                : WriteStatus.CollectionTooLong;
        }

        if (place is { } present)
            editor.Remove(present);
        return TryInsert(ref editor, element.Name, element.Value)
            ? WriteStatus.Done
            : WriteStatus.CollectionTooLong;
    }

    // By score, then by member.
    private static bool TryInsert(
        scoped ref PackedEditor editor, scoped ReadOnlySpan<byte> member, scoped ReadOnlySpan<byte> value)
    {
        PackedScore.TryRead(value, out double score);
        var table = editor.Table;
        for (var place = PackedTable.BeforeFirst; table.TryMoveNext(ref place);)
        {
            if (!PackedScore.TryRead(table.ValueAt(place), out double other))
                PackedCheck.ThrowDamaged();
            if (score < other || (score == other && member.SequenceCompareTo(table.NameAt(place)) < 0))
                return editor.TryInsert(place.Index, place.Start, member, value);
        }

        return editor.TryAdd(member, value);
    }

    public readonly WriteStatus Plan(scoped in ObjectView view, ElementChanges changes)
    {
        if (kind == EntryKind.List)
        {
            StoredListChanges.Plan(view, _changes, changes);
            return WriteStatus.Done;
        }

        var reader = new ElementReader(_changes);
        while (reader.TryRead())
        {
            if (reader.Action == ElementAction.Put && kind == EntryKind.SortedSet)
                changes.PutScore(reader.Name, reader.Value);
            else if (reader.Action == ElementAction.Put)
                changes.Put(reader.Name, reader.Value);
            else if (reader.Action == ElementAction.Expire)
                changes.Expire(reader.Name, reader.Moment);
            else if (kind == EntryKind.Stream)
                changes.DropOfStream(reader.Name);
            else
                changes.Drop(reader.Name);
        }

        return WriteStatus.Done;
    }

    public readonly void Prepare(scoped ref LongElementMaker maker)
    {
        var reader = new ElementReader(_changes);
        while (reader.TryRead())
        {
            if (reader.Action is ElementAction.Put or ElementAction.Replace)
                maker.Add(reader.Name, kind == EntryKind.SortedSet ? default : reader.Value);
        }
    }

    public readonly void Note(int added, int removed)
    {
    }
}
