using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections;

/// <summary>Gives a field of a hash a value.</summary>
internal ref struct SetFieldEdit(
    ReadOnlySpan<byte> field, ReadOnlySpan<byte> value, SetCondition condition, EncodingLimits limits)
    : IPackedEdit, IObjectEdit
{
    private readonly ReadOnlySpan<byte> _field = field;
    private readonly ReadOnlySpan<byte> _value = value;

    public readonly EntryKind Kind => EntryKind.Hash;

    /// <summary>Whether the field was absent.</summary>
    public bool IsNew { get; private set; }

    public WriteStatus Run(scoped ref PackedEditor editor)
    {
        IsNew = !editor.Table.TryFind(_field, PackedPrint.Of(_field), out var place);
        if (condition == (IsNew ? SetCondition.IfPresent : SetCondition.IfAbsent))
            return WriteStatus.ConditionNotMet;
        return Put(ref editor, _field, IsNew ? null : place, _value, limits);
    }

    public WriteStatus Plan(scoped in ObjectView view, ElementChanges changes)
    {
        IsNew = !view.TryFindField(_field, out _);
        if (condition == (IsNew ? SetCondition.IfPresent : SetCondition.IfAbsent))
            return WriteStatus.ConditionNotMet;
        changes.Put(_field, _value);
        return WriteStatus.Done;
    }

    public readonly void Prepare(scoped ref LongElementMaker maker) => maker.Add(_field, _value);

    public readonly void Note(int added, int removed)
    {
    }

    /// <summary>As below, but a field that is there keeps its expiry.</summary>
    public static WriteStatus PutKeeping(
        scoped ref PackedEditor editor, scoped ReadOnlySpan<byte> field, PackedPlace? place,
        scoped ReadOnlySpan<byte> value, EncodingLimits limits)
    {
        var status = Put(ref editor, field, place, value, limits);
        if (status != WriteStatus.Done || place is not { Moment: not 0 } present)
            return status;
        return editor.TrySetMoment(FieldExpiries.PlaceOf(editor, field), present.Moment)
            ? status
            : WriteStatus.CollectionTooLong;
    }

    /// <summary>As below, and notes whether the hash is beyond the limits of Redis's compact encoding.</summary>
    public static WriteStatus Put(
        scoped ref PackedEditor editor, scoped ReadOnlySpan<byte> field, PackedPlace? place,
        scoped ReadOnlySpan<byte> value, EncodingLimits limits)
    {
        var status = Put(ref editor, field, place, value);
        if (editor.Count > limits.HashFields || Math.Max(field.Length, value.Length) > limits.HashFieldLength)
            editor.Flags |= PackedTable.ConvertedFlag;
        return status;
    }

    /// <summary>Gives an entry a value, or adds it if it has no place.</summary>
    public static WriteStatus Put(
        scoped ref PackedEditor editor, scoped ReadOnlySpan<byte> field, PackedPlace? place,
        scoped ReadOnlySpan<byte> value)
    {
        bool isPut = place is { } present ? editor.TrySetValue(present, value) : editor.TryAdd(field, value);
        return isPut ? WriteStatus.Done : WriteStatus.CollectionTooLong;
    }
}
