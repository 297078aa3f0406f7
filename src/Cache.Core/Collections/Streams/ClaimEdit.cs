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

    public readonly EntryKind Kind => EntryKind.Stream;

    public StreamGroupStatus Outcome { get; private set; }

    public readonly WriteStatus Run(scoped ref PackedEditor editor) => WriteStatus.NotFound;

    public WriteStatus Plan(scoped in ObjectView view, ElementChanges changes)
    {
        taken.Truncate(_before);
        Outcome = StreamGroupStatus.Done;
        var stream = new StreamView(view);
        if (!stream.TryFindGroup(_group, out var found))
        {
            Outcome = StreamGroupStatus.NoGroup;
            return WriteStatus.ConditionNotMet;
        }

        changes.BeginStream();
        if (options.LastId > found.Last)
            StreamChanges.PutGroup(changes, _group, found with { Last = options.LastId });
        var one = default(StreamConsumer);
        for (int i = 0; i < _ids.Length; i++)
        {
            var id = _ids[i];
            bool isPending = stream.TryFindPending(found.Number, id, out var state);
            if (_ids[..i].Contains(id) && !TakesAgain(isPending))
                continue;
            var cursor = new EntryCursor(stream, id, id, isReversed: false, room);
            if (!cursor.TryMoveNext())
            {
                if (isPending)
                    StreamChanges.DropPending(changes, found.Number, id); // It was removed.
                continue;
            }

            if (!isPending && !options.IsForced)
                continue;
            if (isPending && options.MinIdleMs > 0 && nowMs - state.DeliveredMs < options.MinIdleMs)
                continue;
            if (one.Number == 0)
                one = ConsumerOf.Seen(stream, changes, found.Number, _consumer, nowMs);
            long deliveries = options.Deliveries
                ?? (isPending ? state.Deliveries : 0) + (options.IdsOnly && isPending ? 0 : options.IdsOnly ? 0 : 1);
            StreamChanges.PutPending(
                changes, found.Number, id,
                new StreamPending(one.Number, options.DeliveredUnixMs ?? nowMs, deliveries));
            taken.Add(stream, cursor);
        }

        return WriteStatus.Done;
    }

    public readonly void Prepare(scoped ref LongElementMaker maker)
    {
    }

    public readonly void Note(int added, int removed)
    {
    }

    // An id that is named twice is told twice, unless it is too young then.
    private readonly bool TakesAgain(bool isPending) => options.MinIdleMs <= 0 && (isPending || options.IsForced);
}
