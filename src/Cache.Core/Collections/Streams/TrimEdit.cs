using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.Streams;

/// <summary>Removes the oldest entries of a stream, of them a step's at most.</summary>
internal struct TrimEdit(StreamTrim trim, EntryRoom room) : IPackedEdit, IObjectEdit
{
    public readonly EntryKind Kind => EntryKind.Stream;

    /// <summary>How many it removes.</summary>
    public long Removed { get; private set; }

    /// <summary>Whether a trim is to go on.</summary>
    public bool IsMore { get; private set; }

    public readonly WriteStatus Run(scoped ref PackedEditor editor) => WriteStatus.NotFound;

    public WriteStatus Plan(scoped in ObjectView view, ElementChanges changes)
    {
        var stream = new StreamView(view);
        var header = stream.Header;
        changes.BeginStream();
        var step = new TrimStep(trim, room);
        step.Plan(stream, header, StreamId.Zero, changes);
        (Removed, IsMore) = (step.Removed, step.IsMore);
        if (Removed != 0)
            StreamChanges.PutHeader(changes, header with { Length = header.Length - Removed });
        return WriteStatus.Done;
    }

    public readonly void Prepare(scoped ref LongElementMaker maker)
    {
    }

    public readonly void Note(int added, int removed)
    {
    }
}
