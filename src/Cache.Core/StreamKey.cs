using Cache.Core.Collections;
using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;
using Cache.Core.Collections.Streams;
using Cache.Core.Sharding;

namespace Cache.Core;

/// <summary>
/// A key whose value is a stream: entries of fields with values, in the order of their ids. Made by <see
/// cref="CacheStore.Stream"/>.
/// </summary>
/// <remarks>
/// Nothing is read when it is made: each call looks for the key, and is atomic unless it says otherwise. An absent key
/// is a stream without entries; unlike other collections, one that was made stays without any. Reads take no lock,
/// count as reads of the key, and are told to a sink only when they are known to be consistent. A key with a value of
/// another kind stays as it is: the status is WrongType. A value may be as long as a string.
/// <example><code>
/// StreamKey log = store.Stream("log"u8);
/// log.Append("level"u8, "info"u8, out StreamId id);
/// </code></example>
/// </remarks>
public readonly ref partial struct StreamKey
{
    private readonly StoreState _state;
    private readonly RefusedWrites _refused;
    private readonly EntryKey _key;

    internal StreamKey(StoreState state, RefusedWrites refused, EntryKey key)
    {
        _state = state;
        _refused = refused;
        _key = key;
    }

    /// <summary>The number of entries; 0 if the key is absent or of another kind.</summary>
    public long Count => GetInfo(out var info) == ReadStatus.Found ? info.Length : 0;

    /// <summary>What is known of the stream.</summary>
    /// <param name="info">Empty unless the status is Found.</param>
    public ReadStatus GetInfo(out StreamInfo info)
    {
        using var room = EntryRoom.Rent();
        var query = new StreamInfoQuery(room);
        var status = Query(ref query);
        info = status == ReadStatus.Found ? query.Info : default;
        return status;
    }

    /// <summary>Tells the entries of a range, as of one moment.</summary>
    /// <param name="from">The least id.</param>
    /// <param name="to">The greatest id.</param>
    /// <param name="count">The most that are told.</param>
    /// <param name="isReversed">Whether the greatest id comes first.</param>
    /// <param name="sink">Receives the entries; none if the range is empty.</param>
    /// <returns>NotFound or WrongType: then the sink is not called.</returns>
    public ReadStatus GetRange<TSink>(StreamId from, StreamId to, long count, bool isReversed, ref TSink sink)
        where TSink : struct, IStreamSink, allows ref struct
    {
        using var room = EntryRoom.Rent();
        using var taken = TakenEntries.Rent();
        var query = new EntryRangeQuery(from, to, count, isReversed, taken, room);
        var status = Query(ref query);
        if (status != ReadStatus.Found)
            return status;
        if (!query.IsLong)
        {
            taken.Tell(ref sink);
            return status;
        }

        using var copy = CollectionCopy.Peek(_state, _key, EntryKind.Stream, out status, out _);
        if (status == ReadStatus.Found)
            StreamRange.Tell(_state, copy.View, from, to, count, isReversed, room, ref sink);
        return status;
    }

    /// <summary>Appends an entry of one field, with an id that is made of the time.</summary>
    public WriteStatus Append(ReadOnlySpan<byte> field, ReadOnlySpan<byte> value, out StreamId id)
    {
        var one = new OneField(field, value);
        var status = Append(ref one, new StreamAppend(), out var appended);
        id = appended.Id;
        return status;
    }

    /// <summary>Appends an entry. The key's expiry stays.</summary>
    /// <remarks>
    /// A trim that removes more than 126 entries is made in steps of as many, which others may see.
    /// </remarks>
    /// <param name="fields">The fields with their values, at least one.</param>
    /// <param name="options">Its id, and what goes of the oldest entries.</param>
    /// <param name="appended">Its id, or why it was not appended.</param>
    /// <returns>
    /// NotFound if the key is absent and should be present; ConditionNotMet if the id is not allowed.
    /// </returns>
    public WriteStatus Append<TFields>(ref TFields fields, in StreamAppend options, out StreamAppended appended)
        where TFields : struct, IEntrySource, allows ref struct
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(fields.Count, nameof(fields));
        appended = default;
        using var entry = default(NewEntry);
        var status = entry.TryMake(_state, ref fields);
        if (status != WriteStatus.Done)
            return Counted(status);
        using var room = EntryRoom.Rent();
        long nowMs = options.Id is null ? Math.Max(0, _state.Clock.ReadUnixMs()) : 0;
        var edit = new AppendEdit(options, (ulong)nowMs, entry.Value, room);
        status = Write(ref edit);
        long trimmed = status == WriteStatus.Done ? edit.Removed : 0;
        if (status == WriteStatus.Done && edit.IsMore)
            trimmed += TrimMore(options.Trim!.Value, edit.Removed, room);
        appended = new StreamAppended { Id = edit.Id, Status = edit.Outcome, Trimmed = trimmed };
        return status;
    }

    /// <summary>
    /// Removes the oldest entries. More than 126 are removed in steps of as many, which others may see.
    /// </summary>
    /// <param name="trim">Which of them.</param>
    /// <param name="removed">The number of entries that were removed.</param>
    /// <returns>NotFound if the key is absent.</returns>
    public WriteStatus Trim(in StreamTrim trim, out long removed)
    {
        using var room = EntryRoom.Rent();
        return TrimSteps(trim, room, out removed);
    }

    /// <summary>
    /// Removes entries by their ids. More than 127 are removed in steps of as many, which others may see.
    /// </summary>
    /// <param name="ids">The ids.</param>
    /// <param name="removed">The number of entries that were removed.</param>
    /// <returns>NotFound if the key is absent.</returns>
    public WriteStatus Remove(ReadOnlySpan<StreamId> ids, out long removed)
    {
        removed = 0;
        var status = WriteStatus.Done;
        for (int from = 0; from < ids.Length && status == WriteStatus.Done; from += RemoveEntriesEdit.IdsMax)
        {
            int length = Math.Min(RemoveEntriesEdit.IdsMax, ids.Length - from);
            var edit = new RemoveEntriesEdit(ids.Slice(from, length));
            status = Write(ref edit);
            removed += status == WriteStatus.Done ? edit.Removed : 0;
        }

        return status;
    }

    /// <summary>Sets the last id, and what else a stream knows of entries that it has had.</summary>
    /// <param name="last">The last id; entries get greater ones.</param>
    /// <param name="added">The number of entries that were ever appended; null: it stays.</param>
    /// <param name="maxRemoved">The greatest id of one that was removed; 0-0: it stays.</param>
    /// <param name="outcome">Why nothing was set, where the status is ConditionNotMet.</param>
    /// <returns>NotFound if the key is absent.</returns>
    public WriteStatus SetId(StreamId last, long? added, StreamId maxRemoved, out StreamSetIdStatus outcome)
    {
        using var room = EntryRoom.Rent();
        var edit = new SetIdEdit(last, added, maxRemoved, room);
        var status = Write(ref edit);
        outcome = edit.Outcome;
        return status;
    }

    private WriteStatus TrimSteps(StreamTrim trim, EntryRoom room, out long removed)
    {
        removed = 0;
        while (true)
        {
            var edit = new TrimEdit(trim.Limit > 0 ? trim with { Limit = trim.Limit - removed } : trim, room);
            var status = Write(ref edit);
            if (status != WriteStatus.Done)
                return removed > 0 ? WriteStatus.Done : status;
            removed += edit.Removed;
            if (!edit.IsMore || edit.Removed == 0 || (trim.Limit > 0 && removed >= trim.Limit))
                return status;
        }
    }

    private long TrimMore(StreamTrim trim, long before, EntryRoom room)
    {
        long removed = 0;
        if (trim.Limit == 0 || trim.Limit > before)
            TrimSteps(trim with { Limit = Math.Max(0, trim.Limit - before) }, room, out removed);
        return removed;
    }

    private ReadStatus Query<TQuery>(ref TQuery query)
        where TQuery : struct, IPackedQuery, IObjectQuery, allows ref struct =>
        _state.ShardOf(_key.Hash).QueryAny(_key, EntryKind.Stream, ref query);

    private WriteStatus Write<TEdit>(ref TEdit edit)
        where TEdit : struct, IPackedEdit, IObjectEdit, allows ref struct =>
        Counted(ObjectWriter.Write(_state, _key, ref edit));

    private WriteStatus Counted(WriteStatus status)
    {
        if (status != WriteStatus.OutOfMemory)
            return status;
        _state.ThrowIfDisposed(); // A disposed store has no room.
        _refused.Note(_state.Clock.ReadMs());
        return status;
    }

    private readonly ref struct OneField(ReadOnlySpan<byte> field, ReadOnlySpan<byte> value) : IEntrySource
    {
        private readonly ReadOnlySpan<byte> _field = field;
        private readonly ReadOnlySpan<byte> _value = value;

        public int Count => 1;

        public ReadOnlySpan<byte> GetKey(int index) => _field;

        public ReadOnlySpan<byte> GetValue(int index) => _value;
    }
}
