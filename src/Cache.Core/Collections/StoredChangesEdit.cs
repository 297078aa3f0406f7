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
        var reader = new ElementReader(_changes);
        while (reader.TryRead())
        {
            bool exists = editor.Table.TryFind(reader.Name, PackedPrint.Of(reader.Name), out var place);
            var status = WriteStatus.Done;
            if (reader.Action == ElementAction.Put)
                status = SetFieldEdit.Put(ref editor, reader.Name, exists ? place : null, reader.Value);
            else if (exists)
                editor.Remove(place);
            if (status != WriteStatus.Done)
                return status;
        }

        return WriteStatus.Done;
    }

    public readonly WriteStatus Plan(scoped in ObjectView view, ElementChanges changes)
    {
        var reader = new ElementReader(_changes);
        while (reader.TryRead())
        {
            if (reader.Action == ElementAction.Put)
                changes.Put(reader.Name, reader.Value);
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
            if (reader.Action == ElementAction.Put)
                maker.Add(reader.Name, reader.Value);
        }
    }

    public readonly void Note(int added, int removed)
    {
    }
}
