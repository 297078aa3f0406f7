using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.Streams;

/// <summary>Gives a consumer the first entries that were delivered long ago, a step's at most.</summary>
/// <remarks>
/// from: Where it begins. count: The most that are claimed or found to be removed. looks: The most that are looked at.
/// removed: Gets the ids of entries that were removed while they were pending.
/// </remarks>
internal ref struct AutoClaimEdit(
    ReadOnlySpan<byte> group, ReadOnlySpan<byte> consumer, StreamClaim options, StreamId from, long count, long looks,
    long nowMs, TakenEntries taken, List<StreamId> removed, EntryRoom room) : IPackedEdit, IObjectEdit
{
    // Two more changes are the consumer and the header.
    private const int ChangesMax = ElementChanges.CountMax - 2;

    private const int LooksPerStep = 1_000;

    private readonly ReadOnlySpan<byte> _group = group;
    private readonly ReadOnlySpan<byte> _consumer = consumer;
    private readonly (int Count, int Length) _before = taken.End;
    private readonly int _removedBefore = removed.Count;

    public static bool KeepsEntries => true;

    public readonly EntryKind Kind => EntryKind.Stream;

    public StreamGroupStatus Outcome { get; private set; }

    /// <summary>Whether the consumer is new.</summary>
    public bool MadeConsumer { get; private set; }

    /// <summary>The id of the next pending entry; 0-0: there is none.</summary>
    public StreamId Next { get; private set; }

    /// <summary>How many were looked at.</summary>
    public long Looks { get; private set; }

    /// <summary>How many were claimed, or removed.</summary>
    public readonly long Taken => taken.Count - _before.Count + removed.Count - _removedBefore;

    public readonly WriteStatus Run(scoped ref PackedEditor editor) => WriteStatus.NotFound;

    public WriteStatus Plan(scoped in ObjectView view, ElementChanges changes)
    {
        taken.Truncate(_before);
        removed.RemoveRange(_removedBefore, removed.Count - _removedBefore);
        (Outcome, MadeConsumer, Looks) = (StreamGroupStatus.Done, false, 0);
        var stream = new StreamView(view);
        if (!stream.TryFindGroup(_group, out var found))
        {
            Outcome = StreamGroupStatus.NoGroup;
            return WriteStatus.ConditionNotMet;
        }

        changes.BeginStream();
        uint consumerNumber = 0;
        ulong key = StreamElement.KeyOf(StreamElement.Pending, found.Number);
        var pending = stream.PendingFrom(found.Number, from);
        for (; pending.IsValid && pending.Key == key && MayGoOn; pending.MoveNext())
        {
            Looks++;
            PlanOne(
                stream, changes, found.Number, StreamElement.ReadId(pending.Entry.Name),
                StreamPending.Read(pending.Entry.Value), ref consumerNumber);
        }

        Next = pending.IsValid && pending.Key == key ? StreamElement.ReadId(pending.Entry.Name) : StreamId.Zero;
        return WriteStatus.Done;
    }

    public readonly void Prepare(scoped ref LongElementMaker maker)
    {
    }

    public readonly void Note(int added, int removed)
    {
    }

    private readonly bool MayGoOn =>
        Taken < count && Looks < looks && Taken < ChangesMax && Looks < LooksPerStep;

    private void PlanOne(
        scoped in StreamView stream, ElementChanges changes, uint number, StreamId id, in StreamPending state,
        ref uint consumerNumber)
    {
        var cursor = new EntryCursor(stream, id, id, isReversed: false, room);
        if (!cursor.TryMoveNext())
        {
            StreamChanges.DropPending(changes, number, id);
            removed.Add(id);
            return;
        }

        if (options.MinIdleMs > 0 && nowMs - state.DeliveredMs < options.MinIdleMs)
            return;
        if (consumerNumber == 0)
        {
            consumerNumber = ConsumerOf.Seen(stream, changes, number, _consumer, nowMs, out bool isNew).Number;
            MadeConsumer = isNew;
        }

        StreamChanges.PutPending(
            changes, number, id,
            new StreamPending(consumerNumber, nowMs, state.Deliveries + (options.IdsOnly ? 0 : 1)));
        if (options.IdsOnly)
            taken.Add(id, default, default);
        else
            taken.Add(stream, cursor);
    }
}
