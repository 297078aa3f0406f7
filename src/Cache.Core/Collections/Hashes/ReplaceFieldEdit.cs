using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.Hashes;

/// <summary>Gives a field of a hash a value if its present one is as expected.</summary>
internal ref struct ReplaceFieldEdit(
    ReadOnlySpan<byte> field, ReadOnlySpan<byte> expected, bool existed, ReadOnlySpan<byte> value,
    EncodingLimits limits)
    : IPackedEdit, IObjectEdit
{
    private readonly ReadOnlySpan<byte> _field = field;
    private readonly ReadOnlySpan<byte> _expected = expected;
    private readonly ReadOnlySpan<byte> _value = value;

    public readonly EntryKind Kind => EntryKind.Hash;

    /// <summary>Whether it was not: another thread wrote the field.</summary>
    public bool IsOutdated { get; private set; }

    public WriteStatus Run(scoped ref PackedEditor editor)
    {
        var table = editor.Table;
        bool exists = table.TryFind(_field, PackedPrint.Of(_field), out var place);
        IsOutdated = exists != existed || (exists && !table.ValueAt(place).SequenceEqual(_expected));
        return IsOutdated
            ? WriteStatus.ConditionNotMet
            : SetFieldEdit.PutKeeping(ref editor, _field, exists ? place : null, _value, limits);
    }

    public WriteStatus Plan(scoped in ObjectView view, ElementChanges changes)
    {
        bool exists = view.TryFindField(_field, out var entry);
        IsOutdated = exists != existed || (exists && !view.ValueOf(entry).SequenceEqual(_expected));
        if (IsOutdated)
            return WriteStatus.ConditionNotMet;
        changes.Put(_field, _value);
        if (exists && entry.Moment != 0)
            changes.Expire(_field, entry.Moment);
        return WriteStatus.Done;
    }

    public readonly void Prepare(scoped ref LongElementMaker maker) => maker.Add(_field, _value);

    public readonly void Note(int added, int removed)
    {
    }
}
