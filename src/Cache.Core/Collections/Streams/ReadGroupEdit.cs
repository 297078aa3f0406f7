using System.Buffers.Binary;
using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.Streams;

/// <summary>Delivers entries to a consumer: new ones, or again those that it has not acknowledged; a step's.</summary>
/// <remarks>
/// count: The most; at least 1. after: Behind which id, of those that it has. nowMs: Unix milliseconds.
/// </remarks>
internal ref struct ReadGroupEdit(
    ReadOnlySpan<byte> group, ReadOnlySpan<byte> consumer, bool isAcknowledged, StreamId? after, long count,
    long nowMs, TakenEntries taken, EntryRoom room) : IPackedEdit, IObjectEdit
{
    // Three more changes are the group, the consumer and the header.
    private const int EntriesMax = ElementChanges.CountMax - 3;

    // Long entries are lent, and what is copied is bounded.
    private const long BytesMax = 256 << 10;

    private readonly ReadOnlySpan<byte> _group = group;
    private readonly ReadOnlySpan<byte> _consumer = consumer;
    private readonly (int Count, int Length) _before = taken.End;

    public static bool KeepsEntries => true;

    public readonly EntryKind Kind => EntryKind.Stream;

    public StreamGroupStatus Outcome { get; private set; }

    /// <summary>Whether the consumer is new.</summary>
    public bool MadeConsumer { get; private set; }

    /// <summary>The last id that was told.</summary>
    public StreamId Last { get; private set; }

    /// <summary>Whether there is more.</summary>
    public bool IsMore { get; private set; }

    public readonly WriteStatus Run(scoped ref PackedEditor editor) => WriteStatus.NotFound;

    public WriteStatus Plan(scoped in ObjectView view, ElementChanges changes)
    {
        taken.Truncate(_before);
        (Outcome, IsMore, MadeConsumer) = (StreamGroupStatus.Done, false, false);
        var stream = new StreamView(view);
        if (!stream.TryFindGroup(_group, out var found))
        {
            Outcome = StreamGroupStatus.NoGroup;
            return WriteStatus.ConditionNotMet;
        }

        changes.BeginStream();
        if (after is { } id)
            PlanAgain(stream, changes, found.Number, id);
        else
            PlanNew(stream, changes, found);
        return WriteStatus.Done;
    }

    public readonly void Prepare(scoped ref LongElementMaker maker)
    {
    }

    public readonly void Note(int added, int removed)
    {
    }

    private readonly long TakenCount => taken.Count - _before.Count;

    private readonly bool IsFull => TakenCount == EntriesMax || taken.End.Length - _before.Length > BytesMax;

    // A consumer that gets nothing is not made.
    private void PlanNew(scoped in StreamView stream, ElementChanges changes, in StreamGroup found)
    {
        var header = stream.Header;
        if (found.Last == StreamId.Max)
            return;
        var first = FirstOf(stream);
        var state = found;
        uint consumer = 0;
        var cursor = new EntryCursor(stream, found.Last.Next, StreamId.Max, isReversed: false, room);
        while (TakenCount < count && cursor.TryMoveNext())
        {
            IsMore = IsFull;
            if (IsMore)
                break;
            if (consumer == 0)
                consumer = See(stream, changes, found.Number);
            taken.Add(stream, cursor);
            state = GroupCounts.Advance(header, first, state, cursor.Id);
            if (!isAcknowledged)
            {
                StreamChanges.PutPending(
                    changes, found.Number, cursor.Id, new StreamPending(consumer, nowMs, Deliveries: 1));
            }
        }

        if (state != found)
            StreamChanges.PutGroup(changes, _group, state);
    }

    private uint See(scoped in StreamView stream, ElementChanges changes, uint number)
    {
        var one = ConsumerOf.Seen(stream, changes, number, _consumer, nowMs, out bool isNew);
        MadeConsumer = isNew;
        return one.Number;
    }

    private void PlanAgain(scoped in StreamView stream, ElementChanges changes, uint number, StreamId id)
    {
        uint consumer = See(stream, changes, number);
        if (id == StreamId.Max)
            return;
        ulong key = StreamElement.KeyOf(StreamElement.PendingOfConsumer, number);
        var pending = stream.PendingFrom(number, consumer, id.Next);
        for (; TakenCount < count && pending.IsValid && pending.Key == key; pending.MoveNext())
        {
            var name = pending.Entry.Name;
            if (BinaryPrimitives.ReadUInt32BigEndian(name) != consumer)
                return;
            IsMore = IsFull;
            if (IsMore)
                return;
            Last = StreamElement.ReadId(name[sizeof(uint)..]);
            var cursor = new EntryCursor(stream, Last, Last, isReversed: false, room);
            if (!cursor.TryMoveNext())
            {
                taken.Add(Last, default, default); // It was removed.
                continue;
            }

            taken.Add(stream, cursor);
            stream.TryFindPending(number, Last, out var state);
            StreamChanges.PutPending(
                changes, number, Last, state with { DeliveredMs = nowMs, Deliveries = state.Deliveries + 1 });
        }
    }

    private readonly StreamId FirstOf(scoped in StreamView stream)
    {
        var cursor = new EntryCursor(stream, StreamId.Zero, StreamId.Max, isReversed: false, room);
        return cursor.TryMoveNext() ? cursor.Id : StreamId.Zero;
    }
}
