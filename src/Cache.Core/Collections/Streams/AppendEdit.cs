using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.Streams;

/// <summary>Appends an entry, and removes what a trim says of the oldest ones, of them a step's at most.</summary>
/// <remarks>
/// value: The fields as they are stored. nowMs: What an id is made of where none is given, Unix milliseconds.
/// </remarks>
internal ref struct AppendEdit(StreamAppend options, ulong nowMs, ReadOnlySpan<byte> value, EntryRoom room)
    : IPackedEdit, IObjectEdit
{
    private readonly ReadOnlySpan<byte> _value = value;

    public readonly EntryKind Kind => EntryKind.Stream;

    public StreamAppendStatus Outcome { get; private set; }

    /// <summary>The entry's id.</summary>
    public StreamId Id { get; private set; }

    /// <summary>How many of the oldest ones it removes.</summary>
    public long Removed { get; private set; }

    /// <summary>Whether a trim is to go on.</summary>
    public bool IsMore { get; private set; }

    public readonly WriteStatus Run(scoped ref PackedEditor editor) =>
        options.IfPresent ? WriteStatus.NotFound : WriteStatus.CollectionTooLong; // So that trees are made.

    public WriteStatus Plan(scoped in ObjectView view, ElementChanges changes)
    {
        var stream = new StreamView(view);
        var header = stream.Header;
        (Removed, IsMore) = (0, false);
        if (!TryResolve(header.Last, out var id))
            return WriteStatus.ConditionNotMet;
        Id = id;
        header = header with { Length = header.Length + 1, Added = header.Added + 1, Last = id };
        changes.BeginStream();
        bool isKept = true;
        if (options.Trim is { } trim)
        {
            var step = new TrimStep(trim, room);
            step.Plan(stream, header, id, changes);
            header = header with { Length = header.Length - step.Removed };
            isKept = !step.RemovesNew;
            Removed = step.Removed;
            IsMore = step.IsMore;
        }

        Span<byte> name = stackalloc byte[StreamElement.EntryNameSize];
        StreamElement.NameEntry(name, id);
        if (isKept)
            changes.Put(name, _value);
        StreamChanges.PutHeader(changes, header);
        return WriteStatus.Done;
    }

    public readonly void Prepare(scoped ref LongElementMaker maker)
    {
        ReadOnlySpan<byte> name = stackalloc byte[StreamElement.EntryNameSize];
        maker.Add(name, _value);
    }

    public readonly void Note(int added, int removed)
    {
    }

    private bool TryResolve(StreamId last, out StreamId id)
    {
        id = options.Id ?? (nowMs > last.Milliseconds ? new StreamId(nowMs, 0) : last.Next);
        Outcome = last == StreamId.Max ? StreamAppendStatus.IdsExhausted : StreamAppendStatus.Appended;
        if (Outcome != StreamAppendStatus.Appended)
            return false;
        if (options is { Id: not null, MakesSequence: true })
        {
            bool isSame = last.Milliseconds == id.Milliseconds;
            id = new StreamId(id.Milliseconds, isSame ? unchecked(last.Sequence + 1) : 0);
        }

        if (id > last)
            return true;
        Outcome = StreamAppendStatus.IdTooSmall;
        return false;
    }
}
