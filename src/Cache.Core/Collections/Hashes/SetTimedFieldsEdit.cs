using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.Hashes;

/// <summary>Gives fields of a hash values that expire, if a condition holds for all of them.</summary>
/// <remarks>
/// from, count: Which of the source's; at most <see cref="StepMax"/>. nowMs: If the moment has passed, they go at once.
/// </remarks>
internal ref struct SetTimedFieldsEdit<TFields>(
    TFields fields, int from, int count, FieldOptions options, long nowMs, EncodingLimits limits)
    : IPackedEdit, IObjectEdit
    where TFields : struct, IEntrySource, allows ref struct
{
    /// <summary>Each field is two changes: its value, and its moment.</summary>
    public const int StepMax = ElementChanges.CountMax / 2;

    private readonly FieldOptions _options = options;
    private readonly bool _removes = options.ExpiresAtUnixMs != 0 && options.ExpiresAtUnixMs <= nowMs;

    /// <summary>The caller's source.</summary>
    public TFields Fields = fields;

    public readonly EntryKind Kind => EntryKind.Hash;

    public WriteStatus Run(scoped ref PackedEditor editor)
    {
        for (int i = from; i < from + count; i++)
        {
            var field = Fields.GetKey(i);
            if (IsRefused(editor.Table.TryFind(field, PackedPrint.Of(field), out _)))
                return WriteStatus.ConditionNotMet;
        }

        for (int i = from; i < from + count; i++)
        {
            var status = Put(ref editor, Fields.GetKey(i), Fields.GetValue(i));
            if (status != WriteStatus.Done)
                return status;
        }

        return WriteStatus.Done;
    }

    public WriteStatus Plan(scoped in ObjectView view, ElementChanges changes)
    {
        for (int i = from; i < from + count; i++)
        {
            if (IsRefused(view.TryFindField(Fields.GetKey(i), out _)))
                return WriteStatus.ConditionNotMet;
        }

        for (int i = from; i < from + count; i++)
        {
            var field = Fields.GetKey(i);
            bool exists = view.TryFindField(field, out var entry);
            if (_removes && exists && !changes.TryFindLast(field, out _, out _))
                changes.Drop(field);
            if (_removes)
                continue;
            changes.Put(field, Fields.GetValue(i));
            long moment = _options.KeepsExpiry && exists ? entry.Moment : _options.ExpiresAtUnixMs;
            if (moment != 0)
                changes.Expire(field, moment);
        }

        return WriteStatus.Done;
    }

    public void Prepare(scoped ref LongElementMaker maker)
    {
        for (int i = from; !_removes && i < from + count; i++)
            maker.Add(Fields.GetKey(i), Fields.GetValue(i));
    }

    public readonly void Note(int added, int removed)
    {
    }

    private readonly WriteStatus Put(
        scoped ref PackedEditor editor, scoped ReadOnlySpan<byte> field, scoped ReadOnlySpan<byte> value)
    {
        bool exists = editor.Table.TryFind(field, PackedPrint.Of(field), out var place);
        if (_removes)
        {
            if (exists)
                editor.Remove(place);
            return WriteStatus.Done;
        }

        if (_options.KeepsExpiry)
            return SetFieldEdit.PutKeeping(ref editor, field, exists ? place : null, value, limits);
        var status = SetFieldEdit.Put(ref editor, field, exists ? place : null, value, limits);
        if (status != WriteStatus.Done || _options.ExpiresAtUnixMs == 0)
            return status;
        return editor.TrySetMoment(FieldExpiries.PlaceOf(editor, field), _options.ExpiresAtUnixMs)
            ? WriteStatus.Done
            : WriteStatus.CollectionTooLong;
    }

    private readonly bool IsRefused(bool exists) =>
        _options.Condition == (exists ? SetCondition.IfAbsent : SetCondition.IfPresent);
}
