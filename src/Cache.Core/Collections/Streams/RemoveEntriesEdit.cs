using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.Streams;

/// <summary>Removes entries by their ids, a step's at most.</summary>
internal ref struct RemoveEntriesEdit(ReadOnlySpan<StreamId> ids) : IPackedEdit, IObjectEdit
{
    /// <summary>So many in one step; one more change is the header.</summary>
    public const int IdsMax = ElementChanges.CountMax - 1;

    private readonly ReadOnlySpan<StreamId> _ids = ids;

    public readonly EntryKind Kind => EntryKind.Stream;

    /// <summary>How many it removes.</summary>
    public int Removed { get; private set; }

    public readonly WriteStatus Run(scoped ref PackedEditor editor) => WriteStatus.NotFound;

    public WriteStatus Plan(scoped in ObjectView view, ElementChanges changes)
    {
        Removed = 0;
        var stream = new StreamView(view);
        var header = stream.Header;
        changes.BeginStream();
        Span<byte> name = stackalloc byte[StreamElement.EntryNameSize];
        for (int i = 0; i < _ids.Length; i++)
        {
            var id = _ids[i];
            StreamElement.NameEntry(name, id);
            if (_ids[..i].Contains(id) || !StreamTreeWriter.TryFind(stream, name, out _))
                continue;
            changes.DropOfStream(name);
            Removed++;
            header = header with
            {
                Length = header.Length - 1,
                MaxRemoved = id > header.MaxRemoved ? id : header.MaxRemoved,
            };
        }

        if (Removed != 0)
            StreamChanges.PutHeader(changes, header);
        return WriteStatus.Done;
    }

    public readonly void Prepare(scoped ref LongElementMaker maker)
    {
    }

    public readonly void Note(int added, int removed)
    {
    }
}
