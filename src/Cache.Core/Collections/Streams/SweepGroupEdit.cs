using System.Buffers.Binary;
using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.Streams;

/// <summary>
/// Removes what a group had that is gone, or a consumer with what it has not acknowledged, a step's at most.
/// </summary>
/// <remarks>
/// consumer: Empty: the group of the number has gone. group: The number; 0: the name says. The key may be another
/// stream by now, whose groups have the same numbers: only what the stream itself says is gone is removed.
/// </remarks>
internal ref struct SweepGroupEdit(uint group, ReadOnlySpan<byte> name, ReadOnlySpan<byte> consumer)
    : IPackedEdit, IObjectEdit
{
    private const int RemovedMax = ElementChanges.CountMax - 1;

    private readonly ReadOnlySpan<byte> _name = name;
    private readonly ReadOnlySpan<byte> _consumer = consumer;

    public static bool KeepsEntries => true;

    public readonly EntryKind Kind => EntryKind.Stream;

    public StreamGroupStatus Outcome { get; private set; }

    /// <summary>The pending entries that are removed.</summary>
    public int Removed { get; private set; }

    /// <summary>Whether there is more.</summary>
    public bool IsMore { get; private set; }

    public readonly WriteStatus Run(scoped ref PackedEditor editor) => WriteStatus.NotFound;

    public WriteStatus Plan(scoped in ObjectView view, ElementChanges changes)
    {
        (Removed, IsMore, Outcome) = (0, false, StreamGroupStatus.Done);
        var stream = new StreamView(view);
        changes.BeginStream();
        if (group != 0)
        {
            SweepAll(stream, changes);
            return WriteStatus.Done;
        }

        if (!stream.TryFindGroup(_name, out var found))
            Outcome = StreamGroupStatus.NoGroup;
        else if (!stream.TryFindConsumer(found.Number, _consumer, out var one))
            Outcome = StreamGroupStatus.NoConsumer;
        else
            SweepConsumer(stream, found.Number, one.Number, changes);
        return Outcome == StreamGroupStatus.Done ? WriteStatus.Done : WriteStatus.ConditionNotMet;
    }

    public readonly void Prepare(scoped ref LongElementMaker maker)
    {
    }

    public readonly void Note(int added, int removed)
    {
    }

    private void SweepAll(scoped in StreamView stream, ElementChanges changes)
    {
        if (!stream.IsGone(group))
            return;
        ulong key = StreamElement.KeyOf(StreamElement.Pending, group);
        for (var cursor = stream.PendingFrom(group, StreamId.Zero);
             cursor.IsValid && cursor.Key == key && !(IsMore = Removed == RemovedMax);
             cursor.MoveNext())
        {
            StreamChanges.DropPending(changes, group, StreamElement.ReadId(cursor.Entry.Name));
            Removed++;
        }

        key = StreamElement.KeyOf(StreamElement.Consumer, group);
        int consumers = 0;
        for (var cursor = stream.Elements.AtOrAbove(key, default);
             cursor.IsValid && cursor.Key == key && !(IsMore |= Removed + consumers == RemovedMax);
             cursor.MoveNext())
        {
            StreamChanges.DropConsumer(changes, group, cursor.Entry.Name);
            consumers++;
        }

        if (!IsMore)
            StreamChanges.DropGone(changes, group);
    }

    private void SweepConsumer(scoped in StreamView stream, uint number, uint consumer, ElementChanges changes)
    {
        ulong key = StreamElement.KeyOf(StreamElement.PendingOfConsumer, number);
        for (var cursor = stream.PendingFrom(number, consumer, StreamId.Zero);
             cursor.IsValid && cursor.Key == key
             && BinaryPrimitives.ReadUInt32BigEndian(cursor.Entry.Name) == consumer
             && !(IsMore = Removed == RemovedMax);
             cursor.MoveNext())
        {
            StreamChanges.DropPending(
                changes, number, StreamElement.ReadId(cursor.Entry.Name[sizeof(uint)..]));
            Removed++;
        }

        if (!IsMore)
            StreamChanges.DropConsumer(changes, number, _consumer);
    }
}
