using Cache.Core.Collections;
using Cache.Core.Collections.Hashes;
using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;
using Cache.Core.Sharding;

namespace Cache.Core;

/// <summary>A key whose value is a hash: fields, each with a value. Made by <see cref="CacheStore.Hash"/>.</summary>
/// <remarks>
/// Nothing is read when it is made: each call looks for the key, and is atomic. An absent key is a hash without fields;
/// the first field makes it, and with the last one it goes. Reads take no lock, count as reads of the key, and are told
/// to a sink only when they are known to be consistent. A key with a value of another kind stays as it is: the status
/// is WrongType. Names and values may be as long as the value of a string.
/// <example><code>
/// HashKey session = store.Hash("session:17"u8);
/// session.Set("user"u8, "ada"u8);
/// session.Increment("visits"u8, 1, out long visits);
/// byte[]? user = session.GetArray("user"u8);
/// </code></example>
/// </remarks>
public readonly ref partial struct HashKey
{
    private const int StepMax = ElementChanges.CountMax;

    // Two of the longest values: what a journal gets of a step is one block.
    private const long StepBytesMax = 1L << 30;

    private readonly CacheStore _store;
    private readonly EntryKey _key;

    internal HashKey(CacheStore store, EntryKey key)
    {
        _store = store;
        _key = key;
    }

    /// <summary>The number of fields; 0 if the key is absent or of another kind.</summary>
    public long Count
    {
        get
        {
            GetCount(out long count);
            return count;
        }
    }

    /// <summary>The number of fields.</summary>
    /// <param name="count">The number; 0 unless the status is Found.</param>
    public ReadStatus GetCount(out long count)
    {
        var query = new PlaceQuery(PackedShape.Hash, default, mayFind: false, fields: _store.State.Fields);
        var status = Query(ref query);
        count = status == ReadStatus.Found ? query.Count : 0;
        return status;
    }

    /// <summary>Copies the value of a field into the sink.</summary>
    /// <returns>False if there is no such field, or the key is of another kind; the sink is then untouched.</returns>
    public bool TryGet<TSink>(ReadOnlySpan<byte> field, ref TSink sink)
        where TSink : struct, IValueSink, allows ref struct =>
        Get(field, ref sink) == ReadStatus.Found;

    /// <summary>Copies the value of a field into the sink.</summary>
    /// <returns>Found; NotFound if the key or the field is absent; or WrongType.</returns>
    public ReadStatus Get<TSink>(ReadOnlySpan<byte> field, ref TSink sink)
        where TSink : struct, IValueSink, allows ref struct
    {
        var query = new FieldQuery<TSink>(_store.State.Fields, field, sink);
        var status = Query(ref query);
        while (status == ReadStatus.Found && query.IsLong)
        {
            if (LongElementReader.Read(_store.State, _key, new FieldFinder(field), ref sink) is { } read)
                return read;
            status = _store.State.ShardOf(_key.Hash).QueryAnyUncounted(_key, EntryKind.Hash, ref query, out _);
        }

        sink = query.Sink;
        if (status != ReadStatus.Found)
            return status;
        if (!query.IsFound)
            return ReadStatus.NotFound;
        sink.Advance(query.Length);
        return ReadStatus.Found;
    }

    /// <summary>The value of a field as a new array.</summary>
    /// <returns>Null if there is no such field, or the key is of another kind.</returns>
    public byte[]? GetArray(ReadOnlySpan<byte> field)
    {
        var sink = default(ArraySink);
        return TryGet(field, ref sink) ? sink.Array : null;
    }

    /// <summary>Copies the values of several fields into the sink, as of one moment.</summary>
    /// <param name="fields">The fields.</param>
    /// <param name="sink">Receives a value or a miss for each; if the key is of another kind, nothing.</param>
    /// <returns>NotFound if the key is absent: then each field is a miss.</returns>
    public ReadStatus GetMany<TFields, TSink>(ref TFields fields, ref TSink sink)
        where TFields : struct, IKeySource, allows ref struct
        where TSink : struct, IValueBatchSink, allows ref struct
    {
        using var copy = CollectionCopy.Take(_store.State, _key, EntryKind.Hash, out var status);
        if (status == ReadStatus.WrongType)
            return status;
        if (copy.IsObject)
        {
            HashView.CopyMany(copy.View, ref fields, ref sink);
            return status;
        }

        var table = copy.Table;
        for (int i = 0; i < fields.Count && !sink.IsFull; i++)
        {
            var field = fields.GetKey(i);
            if (!table.TryFind(field, PackedPrint.Of(field), out var place))
            {
                sink.Miss();
                continue;
            }

            table.ValueAt(place).CopyTo(sink.GetSpan(place.ValueLength));
            sink.Advance(place.ValueLength);
        }

        return status;
    }

    /// <summary>Copies all fields with their values into the sink, as of one moment.</summary>
    /// <remarks>The oldest field first; those of a hash of more than 4 KB in any order.</remarks>
    /// <returns>NotFound or WrongType: then the sink is not called.</returns>
    public ReadStatus GetAll<TSink>(ref TSink sink)
        where TSink : struct, IFieldSink, allows ref struct
    {
        using var copy = CollectionCopy.Take(_store.State, _key, EntryKind.Hash, out var status);
        if (status != ReadStatus.Found)
            return status;
        if (copy.IsObject)
        {
            return HashView.TryCopyAll(_store.State, copy.View, _store.State.Fields.NowMs, ref sink)
                ? status
                : ReadStatus.NotFound;
        }

        CopyAll(copy.Table, ref sink);
        return status;
    }

    /// <summary>Begins to read all fields of a large hash in parts, as of one moment.</summary>
    /// <remarks>Counts as a read of the key. What others write meanwhile is not told.</remarks>
    /// <returns>Null where it is short, of at most 4 KB, or absent, or of another kind: read it at once.</returns>
    public CollectionReading? Read()
    {
        using var copy = CollectionCopy.Take(_store.State, _key, EntryKind.Hash, out _);
        return copy.IsObject && copy.TryDetach(out var stub, out uint snapshot)
            ? new CollectionReading(_store.State, stub, snapshot, copy.View, 0, copy.View.Count, isReversed: false)
            : null;
    }

    /// <summary>Continues a scan of the fields, in steps that hold nothing in between.</summary>
    /// <remarks>
    /// A field that is there from beginning to end is returned, perhaps more than once; one that comes or goes
    /// meanwhile may be.
    /// </remarks>
    /// <param name="cursor">0, or what the last step wrote there; 0 again at the end.</param>
    /// <param name="count">About how many fields to take; a small hash gives all of them.</param>
    /// <param name="sink">Receives the fields.</param>
    public ReadStatus Scan<TSink>(ref ulong cursor, int count, ref TSink sink)
        where TSink : struct, IFieldSink, allows ref struct
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(count);
        using var copy = CollectionCopy.Take(_store.State, _key, EntryKind.Hash, out var status);
        if (status == ReadStatus.Found && copy.IsObject)
        {
            cursor = HashView.CopyFrom(_store.State, copy.View, cursor, count, ref sink);
            return status;
        }

        cursor = 0;
        if (status == ReadStatus.Found)
            CopyAll(copy.Table, ref sink); // All of it, whatever the cursor, as Redis does.
        return status;
    }

    /// <summary>Copies fields at random with their values into the sink, as of one moment.</summary>
    /// <param name="count">How many; of different ones no more than there are.</param>
    /// <param name="mayRepeat">Whether a field may be taken more than once.</param>
    /// <param name="sink">Receives the fields.</param>
    /// <returns>NotFound or WrongType: then the sink is not called.</returns>
    public ReadStatus GetRandom<TSink>(long count, bool mayRepeat, ref TSink sink)
        where TSink : struct, IFieldSink, allows ref struct
    {
        ArgumentOutOfRangeException.ThrowIfNegative(count);
        using var copy = CollectionCopy.Take(_store.State, _key, EntryKind.Hash, out var status);
        if (status != ReadStatus.Found)
            return status;
        if (copy.IsObject)
        {
            long nowMs = _store.State.Fields.NowMs;
            return HashView.TryCopyRandom(_store.State, copy.View, nowMs, count, mayRepeat, ref sink)
                ? status
                : ReadStatus.NotFound;
        }

        var table = copy.Table;
        var chosen = new RandomElements(table, count, mayRepeat);
        sink.Begin(chosen.Count);
        while (!sink.IsFull && chosen.TryMoveNext(out var place))
            sink.Take(table.NameAt(place), table.ValueAt(place));
        return status;
    }

    /// <summary>Whether there is a field.</summary>
    public bool Contains(ReadOnlySpan<byte> field) => GetLength(field, out _) == ReadStatus.Found;

    /// <summary>The length of a field's value.</summary>
    /// <param name="field">The field.</param>
    /// <param name="length">The length in bytes; 0 unless the status is Found.</param>
    /// <returns>Found; NotFound if the key or the field is absent; or WrongType.</returns>
    public ReadStatus GetLength(ReadOnlySpan<byte> field, out int length)
    {
        var query = new PlaceQuery(PackedShape.Hash, field, fields: _store.State.Fields);
        var status = Query(ref query);
        bool isFound = status == ReadStatus.Found && query.IsFound;
        length = isFound ? query.ValueLength : 0;
        return isFound || status != ReadStatus.Found ? status : ReadStatus.NotFound;
    }

    /// <summary>Gives a field a value. The key's expiry stays; the field has none of its own then.</summary>
    public WriteStatus Set(ReadOnlySpan<byte> field, ReadOnlySpan<byte> value) =>
        Set(field, value, SetCondition.Always, out _);

    /// <summary>Gives a field a value if a condition holds. The key's expiry stays.</summary>
    /// <param name="field">The field.</param>
    /// <param name="value">Its new value.</param>
    /// <param name="condition">Whether the field must be absent or present.</param>
    /// <param name="isNew">Whether it was absent.</param>
    public WriteStatus Set(
        ReadOnlySpan<byte> field, ReadOnlySpan<byte> value, SetCondition condition, out bool isNew)
    {
        var edit = new SetFieldEdit(field, value, condition, _store.State.EncodingLimits);
        var status = Write(ref edit);
        isNew = edit.IsNew;
        return status;
    }

    /// <summary>
    /// Gives several fields values: of at most 128, and 1 GB, all or none; of more in steps of as many.
    /// </summary>
    /// <remarks>
    /// Others may see the first steps before the last; where one of them fails, those before it stay, and no other
    /// key waits for a long write.
    /// </remarks>
    /// <param name="fields">The fields with their values; the last value of a field that occurs twice counts.</param>
    /// <param name="added">The number of fields that were absent.</param>
    public WriteStatus SetMany<TFields>(ref TFields fields, out int added)
        where TFields : struct, IEntrySource, allows ref struct
    {
        added = 0;
        var status = WriteStatus.Done;
        int count;
        for (int from = 0; (from < fields.Count || from == 0) && status == WriteStatus.Done; from += count)
        {
            count = CountOfStep(ref fields, from, StepMax);
            var edit = new SetFieldsEdit<TFields>(fields, from, count, _store.State.EncodingLimits);
            status = Write(ref edit);
            fields = edit.Fields;
            added += status == WriteStatus.Done ? edit.Added : 0;
            if (count == 0)
                break;
        }

        return status;
    }

    private static int CountOfStep<TFields>(ref TFields fields, int from, int stepMax)
        where TFields : struct, IEntrySource, allows ref struct
    {
        int most = Math.Min(fields.Count - from, stepMax);
        long bytes = 0;
        for (int count = 0; count < most; count++)
        {
            bytes += fields.GetValue(from + count).Length;
            if (bytes > StepBytesMax && count > 0)
                return count;
        }

        return most;
    }

    /// <summary>Removes a field.</summary>
    /// <returns>NotFound if there was none.</returns>
    public WriteStatus Remove(ReadOnlySpan<byte> field)
    {
        var edit = new RemoveNamesEdit<OneName>(EntryKind.Hash, new OneName(field), from: 0, count: 1);
        return Write(ref edit);
    }

    /// <summary>Removes several fields, in steps of at most 128.</summary>
    /// <param name="fields">The fields.</param>
    /// <param name="removed">The number of those that were there.</param>
    /// <returns>NotFound if none was.</returns>
    public WriteStatus RemoveMany<TFields>(ref TFields fields, out int removed)
        where TFields : struct, IKeySource, allows ref struct
    {
        removed = 0;
        for (int from = 0; from < fields.Count || from == 0; from += StepMax)
        {
            var edit = new RemoveNamesEdit<TFields>(
                EntryKind.Hash, fields, from, Math.Min(fields.Count - from, StepMax));
            var status = Write(ref edit);
            fields = edit.Names;
            removed += status == WriteStatus.Done ? edit.Removed : 0;
            if (status is not (WriteStatus.Done or WriteStatus.NotFound))
                return status;
        }

        return removed > 0 ? WriteStatus.Done : WriteStatus.NotFound;
    }

    /// <summary>Adds to a field that is a decimal integer; an absent one counts as 0. Its expiry stays.</summary>
    /// <param name="field">The field.</param>
    /// <param name="delta">The number to add, perhaps negative.</param>
    /// <param name="result">The sum, if it was written.</param>
    public WriteStatus Increment(ReadOnlySpan<byte> field, long delta, out long result)
    {
        var edit = new IncrementFieldEdit(field, delta, _store.State.EncodingLimits);
        var status = Write(ref edit);
        result = edit.Result;
        return status;
    }

    /// <summary>Gives a field a value that is computed from the present one, atomically. Its expiry stays.</summary>
    /// <param name="field">The field.</param>
    /// <param name="update">Computes the value, also from an absent one.</param>
    /// <returns>
    /// ConditionNotMet if the update computed none; ValueTooLong if the present value is longer than it accepts.
    /// </returns>
    public WriteStatus Update<TUpdate>(ReadOnlySpan<byte> field, ref TUpdate update)
        where TUpdate : struct, IValueUpdate, allows ref struct =>
        _store.Counted(FieldUpdater.Update(_store.State, _key, field, ref update));

    private static void CopyAll<TSink>(in PackedTable table, ref TSink sink)
        where TSink : struct, IFieldSink, allows ref struct
    {
        sink.Begin(table.Count);
        for (var place = PackedTable.BeforeFirst; !sink.IsFull && table.TryMoveNext(ref place);)
            sink.Take(table.NameAt(place), table.ValueAt(place));
    }

    private ReadStatus Query<TQuery>(ref TQuery query)
        where TQuery : struct, IPackedQuery, IObjectQuery, allows ref struct =>
        _store.State.ShardOf(_key.Hash).QueryAny(_key, EntryKind.Hash, ref query);

    private WriteStatus Write<TEdit>(ref TEdit edit)
        where TEdit : struct, IPackedEdit, IObjectEdit, allows ref struct =>
        _store.Counted(ObjectWriter.Write(_store.State, _key, ref edit));
}
