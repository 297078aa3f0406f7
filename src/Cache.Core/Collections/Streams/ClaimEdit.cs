using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.Streams;

/// <summary>Gives a consumer entries that others have not acknowledged: of some ids, a step's at most.</summary>
internal ref struct ClaimEdit(
    ReadOnlySpan<byte> group, ReadOnlySpan<byte> consumer, StreamClaim options, ReadOnlySpan<StreamId> ids, long nowMs,
    TakenEntries taken, EntryRoom room) : IPackedEdit, IObjectEdit
{
    /// <summary>So many in one step; three more changes are the group, the consumer and the header.</summary>
    public const int IdsMax = ElementChanges.CountMax - 3;

    private readonly ReadOnlySpan<byte> _group = group;
    private readonly ReadOnlySpan<byte> _consumer = consumer;
    private readonly ReadOnlySpan<StreamId> _ids = ids;
    private readonly (int Count, int Length) _before = taken.End;

    public static bool KeepsEntries => true;

    public readonly EntryKind Kind => EntryKind.Stream;

    public StreamGroupStatus Outcome { get; private set; }

    /// <summary>Whether the consumer is new.</summary>
    public bool MadeConsumer { get; private set; }

    public readonly WriteStatus Run(scoped ref PackedEditor editor) => WriteStatus.NotFound;

    public WriteStatus Plan(scoped in ObjectView view, ElementChanges changes)
    {
        taken.Truncate(_before);
        (Outcome, MadeConsumer) = (StreamGroupStatus.Done, false);
        var stream = new StreamView(view);
        if (!stream.TryFindGroup(_group, out var found))
        {
            Outcome = StreamGroupStatus.NoGroup;
            return WriteStatus.ConditionNotMet;
        }

        changes.BeginStream();
        if (options.LastId > found.Last)
            StreamChanges.PutGroup(changes, _group, found with { Last = options.LastId });
        uint consumer = 0;
        for (int i = 0; i < _ids.Length; i++)
            PlanOne(stream, changes, found.Number, i, ref consumer);
        return WriteStatus.Done;
    }

    public readonly void Prepare(scoped ref LongElementMaker maker)
    {
    }

    public readonly void Note(int added, int removed)
    {
    }

    private void PlanOne(
        scoped in StreamView stream, ElementChanges changes, uint number, int index, ref uint consumer)
    {
        var id = _ids[index];
        bool isPending = stream.TryFindPending(number, id, out var state);
        if (_ids[..index].Contains(id) && StreamChanges.TryFindPlanned(changes, number, id, out var planned))
            (isPending, state) = (planned is not null, planned ?? default);
        var cursor = new EntryCursor(stream, id, id, isReversed: false, room);
        if (!cursor.TryMoveNext())
        {
            if (isPending)
                StreamChanges.DropPending(changes, number, id); // It was removed.
            return;
        }

        if (!isPending && !options.IsForced)
            return;
        if (isPending && options.MinIdleMs > 0 && nowMs - state.DeliveredMs < options.MinIdleMs)
            return;
        if (consumer == 0)
        {
            consumer = ConsumerOf.Seen(stream, changes, number, _consumer, nowMs, out bool isNew).Number;
            MadeConsumer = isNew;
        }

        // One that becomes pending counts as delivered before.
        long deliveries = options.Deliveries ?? (isPending ? state.Deliveries : 1) + (options.IdsOnly ? 0 : 1);
        StreamChanges.PutPending(changes, number, id, new StreamPending(consumer, DeliveredMs, deliveries));
        if (options.IdsOnly)
            taken.Add(id, default, default);
        else
            taken.Add(stream, cursor);
    }

    private readonly long DeliveredMs =>
        options.DeliveredUnixMs is { } given && given >= 0 && given <= nowMs ? given : nowMs;
}
