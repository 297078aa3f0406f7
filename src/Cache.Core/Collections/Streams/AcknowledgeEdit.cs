using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.Streams;

/// <summary>Acknowledges entries of a group, a step's at most.</summary>
internal ref struct AcknowledgeEdit(ReadOnlySpan<byte> group, ReadOnlySpan<StreamId> ids) : IPackedEdit, IObjectEdit
{
    private readonly ReadOnlySpan<byte> _group = group;
    private readonly ReadOnlySpan<StreamId> _ids = ids;

    public static bool KeepsEntries => true;

    public readonly EntryKind Kind => EntryKind.Stream;

    /// <summary>How many of them were pending.</summary>
    public int Removed { get; private set; }

    public readonly WriteStatus Run(scoped ref PackedEditor editor) => WriteStatus.NotFound;

    public WriteStatus Plan(scoped in ObjectView view, ElementChanges changes)
    {
        Removed = 0;
        var stream = new StreamView(view);
        if (!stream.TryFindGroup(_group, out var found))
            return WriteStatus.NotFound;
        changes.BeginStream();
        for (int i = 0; i < _ids.Length; i++)
        {
            if (_ids[..i].Contains(_ids[i]) || !stream.TryFindPending(found.Number, _ids[i], out _))
                continue;
            StreamChanges.DropPending(changes, found.Number, _ids[i]);
            Removed++;
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
