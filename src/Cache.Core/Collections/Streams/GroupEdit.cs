using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.Streams;

/// <summary>What is done with a group itself.</summary>
internal enum GroupAction
{
    Create,
    SetId,
    Destroy,
    CreateConsumer,
}

/// <summary>Makes, changes or removes a group, or makes a consumer; what was pending in it goes later.</summary>
/// <remarks>last: Null: the stream's last id. nowMs: When a consumer is seen, Unix milliseconds.</remarks>
internal ref struct GroupEdit(
    GroupAction action, ReadOnlySpan<byte> group, ReadOnlySpan<byte> consumer, StreamId? last, long entriesRead,
    bool makesStream, long nowMs) : IPackedEdit, IObjectEdit
{
    private readonly ReadOnlySpan<byte> _group = group;
    private readonly ReadOnlySpan<byte> _consumer = consumer;

    public static bool KeepsEntries => true;

    public readonly EntryKind Kind => EntryKind.Stream;

    public StreamGroupStatus Outcome { get; private set; }

    /// <summary>The group's number.</summary>
    public uint Number { get; private set; }

    public readonly WriteStatus Run(scoped ref PackedEditor editor) =>
        makesStream ? WriteStatus.CollectionTooLong : WriteStatus.NotFound; // So that trees are made.

    public WriteStatus Plan(scoped in ObjectView view, ElementChanges changes)
    {
        var stream = new StreamView(view);
        var header = stream.Header;
        bool exists = stream.TryFindGroup(_group, out var found);
        Number = found.Number;
        Outcome = action == GroupAction.Create
            ? exists ? StreamGroupStatus.Exists : StreamGroupStatus.Done
            : exists ? StreamGroupStatus.Done : StreamGroupStatus.NoGroup;
        if (Outcome != StreamGroupStatus.Done)
            return WriteStatus.ConditionNotMet;
        changes.BeginStream();
        switch (action)
        {
            case GroupAction.Create:
                header = header with { LastNumber = header.LastNumber + 1 };
                StreamChanges.PutGroup(
                    changes, _group, new StreamGroup(header.LastNumber, last ?? header.Last, entriesRead));
                StreamChanges.PutHeader(changes, header);
                break;
            case GroupAction.SetId:
                StreamChanges.PutGroup(
                    changes, _group, found with { Last = last ?? header.Last, EntriesRead = entriesRead });
                break;
            case GroupAction.Destroy:
                StreamChanges.DropGroup(changes, _group);
                if (stream.CountOf(StreamElement.Consumer, Number) != 0)
                    StreamChanges.PutGone(changes, Number);
                break;
            default:
                if (ConsumerOf.IsMade(stream, changes, ref header, found.Number, _consumer, nowMs, out _))
                    StreamChanges.PutHeader(changes, header);
                else
                    Outcome = StreamGroupStatus.Exists;
                break;
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
