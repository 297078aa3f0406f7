using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.Streams;

/// <summary>Sets what a stream knows of ids that it has had.</summary>
internal struct SetIdEdit(StreamId last, long? added, StreamId maxRemoved, EntryRoom room) : IPackedEdit, IObjectEdit
{
    public static bool KeepsEntries => true;

    public readonly EntryKind Kind => EntryKind.Stream;

    public StreamSetIdStatus Outcome { get; private set; }

    public readonly WriteStatus Run(scoped ref PackedEditor editor) => WriteStatus.NotFound;

    public WriteStatus Plan(scoped in ObjectView view, ElementChanges changes)
    {
        var stream = new StreamView(view);
        var header = stream.Header;
        Outcome = Check(stream, header);
        if (Outcome != StreamSetIdStatus.Set)
            return WriteStatus.ConditionNotMet;
        changes.BeginStream();
        StreamChanges.PutHeader(changes, header with
        {
            Last = last,
            Added = added ?? header.Added,
            MaxRemoved = maxRemoved == StreamId.Zero ? header.MaxRemoved : maxRemoved,
        });
        return WriteStatus.Done;
    }

    public readonly void Prepare(scoped ref LongElementMaker maker)
    {
    }

    public readonly void Note(int added, int removed)
    {
    }

    private readonly StreamSetIdStatus Check(scoped in StreamView stream, in StreamHeader header)
    {
        if (header.Length == 0)
            return StreamSetIdStatus.Set;
        var cursor = new EntryCursor(stream, StreamId.Zero, StreamId.Max, isReversed: true, room);
        if (cursor.TryMoveNext() && last < cursor.Id)
            return StreamSetIdStatus.BelowEntries;
        return added < header.Length ? StreamSetIdStatus.AddedBelowLength : StreamSetIdStatus.Set;
    }
}
