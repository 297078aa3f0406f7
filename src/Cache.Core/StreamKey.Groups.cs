using Cache.Core.Collections;
using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Streams;

namespace Cache.Core;

public readonly ref partial struct StreamKey
{
    /// <summary>The most bytes of the name of a group or a consumer.</summary>
    public const int GroupNameLengthMax = StreamElement.NameLengthMax;

    // So much is looked at by AutoClaim for each entry that it may take, as in Redis.
    private const int LooksPerEntry = 10;

    // What one call tells is copied first.
    private const long TakenBytesMax = 64 << 20;

    /// <summary>The stream as it is at this moment; dispose it.</summary>
    /// <param name="status">Found, or why there is none: then nothing may be asked of it.</param>
    public StreamSnapshot TakeSnapshot(out ReadStatus status) =>
        new(_state, CollectionCopy.Peek(_state, _key, EntryKind.Stream, out status, out _));

    /// <summary>Looks for a group.</summary>
    /// <param name="group">Its name.</param>
    /// <param name="outcome">NoGroup if the stream has none such.</param>
    /// <param name="last">The last id that was delivered to it.</param>
    /// <param name="hasNew">Whether there is an entry that was delivered to nobody of it.</param>
    /// <returns>NotFound or WrongType: there is no stream.</returns>
    public ReadStatus FindGroup(
        ReadOnlySpan<byte> group, out StreamGroupStatus outcome, out StreamId last, out bool hasNew)
    {
        using var room = EntryRoom.Rent();
        var query = new GroupQuery(group, room);
        var status = Query(ref query);
        bool isFound = status == ReadStatus.Found && query.IsFound;
        outcome = isFound ? StreamGroupStatus.Done : StreamGroupStatus.NoGroup;
        hasNew = isFound && query.HasNew;
        last = isFound ? query.Last : default;
        return status;
    }

    /// <summary>Makes a group of consumers: each entry is delivered to one of them.</summary>
    /// <param name="group">Its name, of at most <see cref="GroupNameLengthMax"/> bytes.</param>
    /// <param name="options">From where it reads.</param>
    /// <param name="outcome">Exists: there is one, where the status is ConditionNotMet.</param>
    /// <returns>NotFound if the key is absent; ValueTooLong: the name is.</returns>
    public WriteStatus CreateGroup(
        ReadOnlySpan<byte> group, in StreamGroupOptions options, out StreamGroupStatus outcome) =>
        Run(GroupAction.Create, group, default, options, out outcome, out _);

    /// <summary>Lets a group read from another place.</summary>
    /// <param name="group">Its name.</param>
    /// <param name="options">From where it reads.</param>
    /// <param name="outcome">NoGroup, where the status is ConditionNotMet.</param>
    /// <returns>NotFound if the key is absent.</returns>
    public WriteStatus SetGroupId(
        ReadOnlySpan<byte> group, in StreamGroupOptions options, out StreamGroupStatus outcome) =>
        Run(GroupAction.SetId, group, default, options with { MakesStream = false }, out outcome, out _);

    /// <summary>Removes a group with its consumers and what they have not acknowledged.</summary>
    /// <remarks>
    /// It is gone at once; what many consumers had is removed in steps, which nobody sees but by the memory that it
    /// takes.
    /// </remarks>
    /// <param name="group">Its name.</param>
    /// <param name="outcome">NoGroup, where the status is ConditionNotMet.</param>
    /// <returns>NotFound if the key is absent.</returns>
    public WriteStatus RemoveGroup(ReadOnlySpan<byte> group, out StreamGroupStatus outcome)
    {
        var status = Run(GroupAction.Destroy, group, default, default, out outcome, out uint number);
        if (status != WriteStatus.Done)
            return status;
        bool isMore = true;
        while (isMore)
        {
            var edit = new SweepGroupEdit(number, default, default);
            isMore = Write(ref edit) == WriteStatus.Done && edit.IsMore;
        }

        return status;
    }

    /// <summary>Makes a consumer of a group. One is made too when entries are delivered to it.</summary>
    /// <param name="group">The group.</param>
    /// <param name="consumer">Its name, of at most <see cref="GroupNameLengthMax"/> bytes.</param>
    /// <param name="outcome">Exists; or NoGroup, where the status is ConditionNotMet.</param>
    /// <returns>NotFound if the key is absent; ValueTooLong: the name is.</returns>
    public WriteStatus CreateConsumer(
        ReadOnlySpan<byte> group, ReadOnlySpan<byte> consumer, out StreamGroupStatus outcome) =>
        Run(GroupAction.CreateConsumer, group, consumer, default, out outcome, out _);

    /// <summary>Removes a consumer of a group, with what it has not acknowledged.</summary>
    /// <remarks>What is more than 127 entries is removed in steps, which others may see.</remarks>
    /// <param name="group">The group.</param>
    /// <param name="consumer">Its name.</param>
    /// <param name="pending">How many entries it had not acknowledged.</param>
    /// <param name="outcome">NoGroup or NoConsumer, where the status is ConditionNotMet.</param>
    /// <returns>NotFound if the key is absent.</returns>
    public WriteStatus RemoveConsumer(
        ReadOnlySpan<byte> group, ReadOnlySpan<byte> consumer, out long pending, out StreamGroupStatus outcome)
    {
        pending = 0;
        while (true)
        {
            var edit = new SweepGroupEdit(0, group, consumer);
            var status = Write(ref edit);
            outcome = edit.Outcome;
            if (status != WriteStatus.Done)
                return status;
            pending += edit.Removed;
            if (!edit.IsMore)
                return status;
        }
    }

    /// <summary>Delivers entries to a consumer: new ones, or again those that it has not acknowledged.</summary>
    /// <remarks>
    /// More than 125 entries are delivered in steps of as many, which others may see; one call tells 64 MB at most.
    /// A consumer that is not there is made, unless it would get no new entry.
    /// </remarks>
    /// <param name="group">The group.</param>
    /// <param name="consumer">The consumer's name.</param>
    /// <param name="options">Which entries.</param>
    /// <param name="sink">Receives them, where the status is Done.</param>
    /// <param name="outcome">NoGroup, where the status is ConditionNotMet.</param>
    /// <returns>NotFound if the key is absent; ValueTooLong: the consumer's name is.</returns>
    public WriteStatus ReadGroup<TSink>(
        ReadOnlySpan<byte> group, ReadOnlySpan<byte> consumer, scoped in StreamGroupRead options, ref TSink sink,
        out StreamGroupOutcome outcome)
        where TSink : struct, IStreamSink, allows ref struct
    {
        outcome = default;
        if (consumer.Length > GroupNameLengthMax)
            return WriteStatus.ValueTooLong;
        using var room = EntryRoom.Rent();
        using var taken = TakenEntries.Rent();
        long most = options.Count <= 0 ? long.MaxValue : options.Count;
        var after = options.After;
        while (true)
        {
            var edit = new ReadGroupEdit(
                group, consumer, options.IsAcknowledged, after, most - taken.Count, NowUnixMs, taken, room);
            var status = Write(ref edit);
            outcome = new StreamGroupOutcome
            {
                Status = edit.Outcome,
                MadeConsumer = outcome.MadeConsumer || (status == WriteStatus.Done && edit.MadeConsumer),
            };
            bool isLast = status != WriteStatus.Done || !edit.IsMore || taken.Bytes > TakenBytesMax;
            if (!isLast)
            {
                after = after is null ? null : edit.Last;
                continue;
            }

            if (status != WriteStatus.Done && taken.Count == 0)
                return status;
            taken.Tell(ref sink);
            return WriteStatus.Done;
        }
    }

    /// <summary>Acknowledges entries: they are pending in the group no more.</summary>
    /// <remarks>More than 128 are acknowledged in steps of as many, which others may see.</remarks>
    /// <param name="group">The group.</param>
    /// <param name="ids">Their ids.</param>
    /// <param name="acknowledged">How many of them were pending.</param>
    /// <returns>NotFound if there is no such key, or no such group.</returns>
    public WriteStatus Acknowledge(ReadOnlySpan<byte> group, ReadOnlySpan<StreamId> ids, out long acknowledged)
    {
        acknowledged = 0;
        var status = WriteStatus.Done;
        for (int from = 0; from < ids.Length && status == WriteStatus.Done; from += ElementChanges.CountMax)
        {
            int length = Math.Min(ElementChanges.CountMax, ids.Length - from);
            var edit = new AcknowledgeEdit(group, ids.Slice(from, length));
            status = Write(ref edit);
            acknowledged += status == WriteStatus.Done ? edit.Removed : 0;
        }

        return status;
    }

    /// <summary>Gives a consumer entries that are pending, whoever has them.</summary>
    /// <remarks>
    /// More than 125 ids are looked at in steps of as many, which others may see. Of a pending entry that was removed
    /// from the stream nothing is told: it is pending no more.
    /// </remarks>
    /// <param name="group">The group.</param>
    /// <param name="consumer">The consumer's name; it is made if it gets something.</param>
    /// <param name="options">Which of them, and how they count.</param>
    /// <param name="ids">Their ids.</param>
    /// <param name="sink">Receives them, where the status is Done.</param>
    /// <param name="outcome">NoGroup, where the status is ConditionNotMet.</param>
    /// <returns>NotFound if the key is absent; ValueTooLong: the consumer's name is.</returns>
    public WriteStatus Claim<TSink>(
        ReadOnlySpan<byte> group, ReadOnlySpan<byte> consumer, scoped in StreamClaim options,
        ReadOnlySpan<StreamId> ids, ref TSink sink, out StreamGroupOutcome outcome)
        where TSink : struct, IStreamSink, allows ref struct
    {
        outcome = default;
        if (consumer.Length > GroupNameLengthMax)
            return WriteStatus.ValueTooLong;
        using var room = EntryRoom.Rent();
        using var taken = TakenEntries.Rent();
        int from = 0;
        do
        {
            int length = Math.Min(ClaimEdit.IdsMax, ids.Length - from);
            var edit = new ClaimEdit(group, consumer, options, ids.Slice(from, length), NowUnixMs, taken, room);
            var status = Write(ref edit);
            outcome = new StreamGroupOutcome
            {
                Status = edit.Outcome,
                MadeConsumer = outcome.MadeConsumer || (status == WriteStatus.Done && edit.MadeConsumer),
            };
            if (status != WriteStatus.Done && taken.Count == 0)
                return status;
            if (status != WriteStatus.Done)
                break;
            from += length;
        }
        while (from < ids.Length && taken.Bytes <= TakenBytesMax);
        taken.Tell(ref sink);
        return WriteStatus.Done;
    }

    /// <summary>Gives a consumer the first pending entries that were delivered long ago, whoever has them.</summary>
    /// <remarks>It looks at ten pending entries for each that it may take, in steps, which others may see.</remarks>
    /// <param name="group">The group.</param>
    /// <param name="consumer">The consumer's name; it is made if it gets something.</param>
    /// <param name="options">How long ago, and how they count.</param>
    /// <param name="from">The least id.</param>
    /// <param name="count">The most that are taken, or found to be removed.</param>
    /// <param name="claimed">Gets where another call goes on, before the sink is called.</param>
    /// <param name="sink">Receives the entries, where the status is Done.</param>
    /// <param name="outcome">NoGroup, where the status is ConditionNotMet.</param>
    /// <returns>NotFound if the key is absent; ValueTooLong: the consumer's name is.</returns>
    public WriteStatus AutoClaim<TSink>(
        ReadOnlySpan<byte> group, ReadOnlySpan<byte> consumer, scoped in StreamClaim options, StreamId from, long count,
        StreamClaimed claimed, ref TSink sink, out StreamGroupOutcome outcome)
        where TSink : struct, IStreamSink, allows ref struct
    {
        ArgumentNullException.ThrowIfNull(claimed);
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(count);
        outcome = default;
        claimed.Begin(from);
        if (consumer.Length > GroupNameLengthMax)
            return WriteStatus.ValueTooLong;
        using var room = EntryRoom.Rent();
        using var taken = TakenEntries.Rent();
        long looks = count > long.MaxValue / LooksPerEntry ? long.MaxValue : count * LooksPerEntry;
        bool isMore = true;
        while (isMore)
        {
            var edit = new AutoClaimEdit(
                group, consumer, options, claimed.Next, count, looks, NowUnixMs, taken, claimed.RemovedIds, room);
            var status = Write(ref edit);
            outcome = new StreamGroupOutcome
            {
                Status = edit.Outcome,
                MadeConsumer = outcome.MadeConsumer || (status == WriteStatus.Done && edit.MadeConsumer),
            };
            if (status != WriteStatus.Done && taken.Count == 0)
                return status;
            if (status != WriteStatus.Done)
                break;
            count -= edit.Taken;
            looks -= edit.Looks;
            claimed.Next = edit.Next;
            isMore = edit.Next != StreamId.Zero && count > 0 && looks > 0 && taken.Bytes <= TakenBytesMax;
        }

        taken.Tell(ref sink);
        return WriteStatus.Done;
    }

    private long NowUnixMs => Math.Max(0, _state.Clock.Read().UnixMs);

    private WriteStatus Run(
        GroupAction action, ReadOnlySpan<byte> group, ReadOnlySpan<byte> consumer, in StreamGroupOptions options,
        out StreamGroupStatus outcome, out uint number)
    {
        (outcome, number) = (default, 0);
        if (group.Length > GroupNameLengthMax)
        {
            outcome = StreamGroupStatus.NoGroup;
            return action == GroupAction.Create ? WriteStatus.ValueTooLong : WriteStatus.ConditionNotMet;
        }

        if (consumer.Length > GroupNameLengthMax)
            return WriteStatus.ValueTooLong;
        var edit = new GroupEdit(
            action, group, consumer, options.LastDeliveredId, options.EntriesRead ?? StreamGroup.Unknown,
            options.MakesStream, NowUnixMs);
        var status = Write(ref edit);
        (outcome, number) = (edit.Outcome, edit.Number);
        return status;
    }
}
