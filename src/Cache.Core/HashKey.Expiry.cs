using Cache.Core.Collections;
using Cache.Core.Collections.Hashes;
using Cache.Core.Collections.Packed;

namespace Cache.Core;

/// <content>Fields that expire on their own.</content>
/// <remarks>
/// A moment is Unix milliseconds of the wall clock. A field that has expired is never told, nor counted; it is removed
/// soon after. With the last field the key goes. Fields without an expiry of their own cost nothing for it.
/// </remarks>
public readonly ref partial struct HashKey
{
    /// <summary>The latest moment at which a field may expire, in the year 4199.</summary>
    public const long LastExpiryUnixMs = FieldMoment.Last;

    /// <summary>Told of a field that is absent, by <see cref="GetExpiries"/>.</summary>
    public const long NoField = -2;

    /// <summary>Told of a field that does not expire, by <see cref="GetExpiries"/>.</summary>
    public const long NoExpiry = -1;

    /// <summary>When a field expires.</summary>
    /// <param name="field">The field.</param>
    /// <param name="unixMs">The moment; 0 if it has none, or unless the status is Found.</param>
    /// <returns>Found; NotFound if the key or the field is absent; or WrongType.</returns>
    public ReadStatus GetExpiry(ReadOnlySpan<byte> field, out long unixMs)
    {
        scoped var fields = new OneName(field);
        Span<long> moments = stackalloc long[1];
        var status = GetExpiries(ref fields, moments);
        unixMs = status == ReadStatus.Found ? Math.Max(0, moments[0]) : 0;
        return status == ReadStatus.Found && moments[0] == NoField ? ReadStatus.NotFound : status;
    }

    /// <summary>When several fields expire, as of one moment.</summary>
    /// <param name="fields">The fields.</param>
    /// <param name="moments">
    /// Receives for each the moment, <see cref="NoExpiry"/> or <see cref="NoField"/>; of a key of another kind nothing.
    /// </param>
    /// <returns>Found; NotFound if the key is absent: then all are <see cref="NoField"/>; or WrongType.</returns>
    /// <exception cref="ArgumentException">There are fewer moments than fields.</exception>
    public ReadStatus GetExpiries<TFields>(ref TFields fields, Span<long> moments)
        where TFields : struct, IKeySource, allows ref struct
    {
        ThrowIfShorter(moments.Length, fields.Count);
        using var copy = CollectionCopy.Take(_store.State, _key, EntryKind.Hash, out var status);
        if (status == ReadStatus.WrongType)
            return status;
        for (int i = 0; i < fields.Count; i++)
        {
            var field = fields.GetKey(i);
            long moment = 0;
            bool exists;
            if (copy.IsObject)
            {
                exists = copy.View.TryFindField(field, out var entry);
                moment = entry.Moment;
            }
            else
            {
                exists = copy.Table.TryFind(field, PackedPrint.Of(field), out var place);
                moment = place.Moment;
            }

            moments[i] = !exists ? NoField : moment == 0 ? NoExpiry : moment;
        }

        return status;
    }

    /// <summary>Lets a field expire at a moment, whatever expiry it has.</summary>
    /// <returns>Done, also where the moment has passed and the field is gone; NotFound if there is none.</returns>
    public WriteStatus Expire(ReadOnlySpan<byte> field, long unixMs)
    {
        scoped var fields = new OneName(field);
        Span<FieldExpiryStatus> results = stackalloc FieldExpiryStatus[1];
        var status = ExpireMany(ref fields, unixMs, ExpireConditions.None, results);
        return status == WriteStatus.ConditionNotMet ? WriteStatus.NotFound : status;
    }

    /// <summary>
    /// Lets several fields expire at a moment, in steps of at most 128; one that has passed removes them.
    /// </summary>
    /// <param name="fields">The fields.</param>
    /// <param name="unixMs">1 to <see cref="LastExpiryUnixMs"/>.</param>
    /// <param name="conditions">Asked for each field; one without expiry counts as never expiring.</param>
    /// <param name="results">Receives what became of each, in their order.</param>
    /// <returns>
    /// Done; ConditionNotMet if no field was changed, also of an absent key; or why a step was refused: fields of
    /// earlier ones may have been changed then, and the other results mean nothing.
    /// </returns>
    /// <exception cref="ArgumentOutOfRangeException">The moment is none.</exception>
    /// <exception cref="ArgumentException">There are fewer results than fields.</exception>
    public WriteStatus ExpireMany<TFields>(
        ref TFields fields, long unixMs, ExpireConditions conditions, Span<FieldExpiryStatus> results)
        where TFields : struct, IKeySource, allows ref struct
    {
        ThrowIfNoMoment(unixMs);
        return ChangeExpiry(ref fields, unixMs, conditions, results);
    }

    /// <summary>Takes the expiry of a field away.</summary>
    /// <returns>NotFound if there is no such field, or it has none.</returns>
    public WriteStatus Persist(ReadOnlySpan<byte> field)
    {
        scoped var fields = new OneName(field);
        Span<FieldExpiryStatus> results = stackalloc FieldExpiryStatus[1];
        var status = PersistMany(ref fields, results);
        return status == WriteStatus.ConditionNotMet ? WriteStatus.NotFound : status;
    }

    /// <summary>Takes the expiry of several fields away, as <see cref="ExpireMany"/> changes it.</summary>
    public WriteStatus PersistMany<TFields>(ref TFields fields, Span<FieldExpiryStatus> results)
        where TFields : struct, IKeySource, allows ref struct =>
        ChangeExpiry(ref fields, 0, ExpireConditions.None, results);

    /// <summary>Copies the values of fields into the sink, and removes the fields, in steps of at most 128.</summary>
    /// <param name="fields">The fields.</param>
    /// <param name="sink">Receives a value or a miss for each, after their step; of a WrongType nothing.</param>
    /// <returns>
    /// Done; NotFound if there was none; or why a step was refused: fields of earlier ones are told and gone, the
    /// others stay, and are not told.
    /// </returns>
    public WriteStatus GetAndRemove<TFields, TSink>(ref TFields fields, ref TSink sink)
        where TFields : struct, IKeySource, allows ref struct
        where TSink : struct, IValueBatchSink, allows ref struct =>
        Take(ref fields, moment: 1, ref sink);

    /// <summary>Copies the values of fields into the sink, and changes when they expire.</summary>
    /// <param name="fields">The fields.</param>
    /// <param name="unixMs">The moment; if it has passed, they are removed; 0: never.</param>
    /// <param name="sink">As of <see cref="GetAndRemove"/>.</param>
    /// <returns>As of <see cref="GetAndRemove"/>; NotFound also where nothing was to be changed.</returns>
    /// <exception cref="ArgumentOutOfRangeException">
    /// The moment is neither 0 nor 1 to <see cref="LastExpiryUnixMs"/>.
    /// </exception>
    public WriteStatus GetAndExpire<TFields, TSink>(ref TFields fields, long unixMs, ref TSink sink)
        where TFields : struct, IKeySource, allows ref struct
        where TSink : struct, IValueBatchSink, allows ref struct
    {
        if (unixMs != 0)
            ThrowIfNoMoment(unixMs);
        return Take(ref fields, unixMs, ref sink);
    }

    /// <summary>Gives several fields values that expire; of at most 64, and 1 GB, all or none.</summary>
    /// <remarks>Of more, the condition is asked once, as of one moment before they are written in such steps.</remarks>
    /// <param name="fields">The fields with their values; the last value of a field that occurs twice counts.</param>
    /// <param name="options">The condition, and when they expire.</param>
    /// <returns>ConditionNotMet if the condition does not hold for one of the fields: none is written.</returns>
    /// <exception cref="ArgumentOutOfRangeException">The moment is none, or two things are said of it.</exception>
    public WriteStatus SetMany<TFields>(ref TFields fields, in FieldOptions options)
        where TFields : struct, IEntrySource, allows ref struct
    {
        ArgumentOutOfRangeException.ThrowIfNegative(options.ExpiresAtUnixMs);
        long most = options.KeepsExpiry ? 0 : LastExpiryUnixMs;
        ArgumentOutOfRangeException.ThrowIfGreaterThan(options.ExpiresAtUnixMs, most);
        var state = _store.State;
        var stepOptions = options;
        int first = CountOfStep(ref fields, 0, SetTimedFieldsEdit<TFields>.StepMax);
        if (options.Condition != SetCondition.Always && first < fields.Count)
        {
            var asked = AskAll(ref fields, options.Condition);
            if (asked != WriteStatus.Done)
                return asked;
            stepOptions = options with { Condition = SetCondition.Always };
        }

        var status = WriteStatus.Done;
        int count;
        for (int from = 0; from < fields.Count && status == WriteStatus.Done; from += count)
        {
            count = CountOfStep(ref fields, from, SetTimedFieldsEdit<TFields>.StepMax);
            var edit = new SetTimedFieldsEdit<TFields>(
                fields, from, count, stepOptions, state.Fields.ReadMs(), state.EncodingLimits);
            status = Write(ref edit);
            fields = edit.Fields;
        }

        return status;
    }

    private WriteStatus AskAll<TFields>(ref TFields fields, SetCondition condition)
        where TFields : struct, IEntrySource, allows ref struct
    {
        using var copy = CollectionCopy.Take(_store.State, _key, EntryKind.Hash, out var status);
        if (status == ReadStatus.WrongType)
            return WriteStatus.WrongType;
        for (int i = 0; i < fields.Count; i++)
        {
            var field = fields.GetKey(i);
            bool exists = copy.IsObject
                ? copy.View.TryFindField(field, out _)
                : copy.Table.TryFind(field, PackedPrint.Of(field), out _);
            if (condition == (exists ? SetCondition.IfAbsent : SetCondition.IfPresent))
                return WriteStatus.ConditionNotMet;
        }

        return WriteStatus.Done;
    }

    private WriteStatus ChangeExpiry<TFields>(
        ref TFields fields, long unixMs, ExpireConditions conditions, Span<FieldExpiryStatus> results)
        where TFields : struct, IKeySource, allows ref struct
    {
        ThrowIfShorter(results.Length, fields.Count);
        bool isAny = false;
        for (int from = 0; from < fields.Count; from += StepMax)
        {
            int count = Math.Min(fields.Count - from, StepMax);
            var edit = new ExpireFieldsEdit<TFields>(
                fields, from, count, unixMs, _store.State.Fields.ReadMs(), conditions, results);
            var status = Write(ref edit);
            fields = edit.Fields;
            isAny |= status == WriteStatus.Done;
            if (status is not (WriteStatus.Done or WriteStatus.ConditionNotMet))
                return status;
        }

        return isAny ? WriteStatus.Done : WriteStatus.ConditionNotMet;
    }

    private WriteStatus Take<TFields, TSink>(ref TFields fields, long moment, ref TSink sink)
        where TFields : struct, IKeySource, allows ref struct
        where TSink : struct, IValueBatchSink, allows ref struct
    {
        using var taken = TakenMembers.Rent();
        bool isAny = false;
        int count;
        for (int from = 0; from < fields.Count; from += count)
        {
            var edit = new TakeFieldsEdit<TFields>(fields, from, moment, _store.State.Fields.ReadMs(), taken);
            var status = Write(ref edit);
            fields = edit.Fields;
            count = edit.Count;
            if (status is not (WriteStatus.Done or WriteStatus.NotFound))
                return status;
            isAny |= status == WriteStatus.Done;
            for (int position = 0; taken.TryMoveNext(ref position, out var value, out double score);)
                Tell(value, score == TakeFieldsEdit<TFields>.Miss, ref sink);
        }

        return isAny ? WriteStatus.Done : WriteStatus.NotFound;
    }

    private static void Tell<TSink>(scoped ReadOnlySpan<byte> value, bool isMiss, ref TSink sink)
        where TSink : struct, IValueBatchSink, allows ref struct
    {
        if (sink.IsFull)
            return;
        if (isMiss)
        {
            sink.Miss();
            return;
        }

        value.CopyTo(sink.GetSpan(value.Length));
        sink.Advance(value.Length);
    }

    private static void ThrowIfShorter(int length, int count)
    {
        if (length < count)
            throw new ArgumentException($"There is room for {length} of {count} fields.");
    }

    private static void ThrowIfNoMoment(long unixMs)
    {
        ArgumentOutOfRangeException.ThrowIfNegativeOrZero(unixMs);
        ArgumentOutOfRangeException.ThrowIfGreaterThan(unixMs, LastExpiryUnixMs);
    }
}
