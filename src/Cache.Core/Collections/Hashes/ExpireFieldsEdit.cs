using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.Hashes;

/// <summary>Lets fields of a hash expire at a moment, or never; those of which it has passed go at once.</summary>
/// <remarks>
/// from, count: Which of the source's; at most a step's. moment: 0 takes the expiry away. nowMs: What has passed.
/// results: What became of each.
/// </remarks>
internal ref struct ExpireFieldsEdit<TFields>(
    TFields fields, int from, int count, long moment, long nowMs, ExpireConditions conditions,
    Span<FieldExpiryStatus> results)
    : IPackedEdit, IObjectEdit
    where TFields : struct, IKeySource, allows ref struct
{
    private readonly Span<FieldExpiryStatus> _results = results;

    /// <summary>The caller's source.</summary>
    public TFields Fields = fields;

    public readonly EntryKind Kind => EntryKind.Hash;

    public WriteStatus Run(scoped ref PackedEditor editor)
    {
        bool isAny = false;
        for (int i = from; i < from + count; i++)
        {
            var field = Fields.GetKey(i);
            bool exists = editor.Table.TryFind(field, PackedPrint.Of(field), out var place);
            var result = exists ? ResultOf(place.Moment) : FieldExpiryStatus.NotFound;
            if (result == FieldExpiryStatus.Removed)
                editor.Remove(place);
            else if (result == FieldExpiryStatus.Done && !editor.TrySetMoment(place, moment))
                return WriteStatus.CollectionTooLong;
            _results[i] = result;
            isAny |= result is FieldExpiryStatus.Done or FieldExpiryStatus.Removed;
        }

        return isAny ? WriteStatus.Done : WriteStatus.ConditionNotMet;
    }

    public WriteStatus Plan(scoped in ObjectView view, ElementChanges changes)
    {
        for (int i = from; i < from + count; i++)
        {
            var field = Fields.GetKey(i);
            bool exists = view.TryFindField(field, out var entry);
            long present = entry.Moment;
            if (changes.TryFindLast(field, out var action, out long planned)) // It is named twice.
                (exists, present) = (action != ElementAction.Drop, planned);
            var result = exists ? ResultOf(present) : FieldExpiryStatus.NotFound;
            if (result == FieldExpiryStatus.Removed)
                changes.Drop(field);
            else if (result == FieldExpiryStatus.Done)
                changes.Expire(field, moment);
            _results[i] = result;
        }

        return changes.Count > 0 ? WriteStatus.Done : WriteStatus.ConditionNotMet;
    }

    public readonly void Prepare(scoped ref LongElementMaker maker)
    {
    }

    public readonly void Note(int added, int removed)
    {
    }

    private readonly FieldExpiryStatus ResultOf(long present)
    {
        if (moment == 0)
            return present == 0 ? FieldExpiryStatus.NoExpiry : FieldExpiryStatus.Done;
        if (!FieldExpiries.AreMet(conditions, present, moment))
            return FieldExpiryStatus.ConditionNotMet;
        return moment <= nowMs ? FieldExpiryStatus.Removed : FieldExpiryStatus.Done;
    }
}
