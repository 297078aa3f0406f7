using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;
using Cache.Core.Operations;

namespace Cache.Core.Collections.Hashes;

/// <summary>Adds to a field of a hash that is a decimal integer.</summary>
internal ref struct IncrementFieldEdit(ReadOnlySpan<byte> field, long delta, EncodingLimits limits)
    : IPackedEdit, IObjectEdit
{
    private readonly ReadOnlySpan<byte> _field = field;

    private long _planned;

    public readonly EntryKind Kind => EntryKind.Hash;

    public long Result { get; private set; }

    public WriteStatus Run(scoped ref PackedEditor editor)
    {
        long present = 0;
        var table = editor.Table;
        bool exists = table.TryFind(_field, PackedPrint.Of(_field), out var place);
        if (exists && !CanonicalInteger.TryParse(table.ValueAt(place), out present))
            return WriteStatus.NotAnInteger;
        Result = present;
        if (!CanonicalInteger.TryAdd(present, delta, out long sum))
            return WriteStatus.Overflow;
        Span<byte> text = stackalloc byte[CanonicalInteger.LengthMax];
        int length = CanonicalInteger.Format(sum, text);
        var status = SetFieldEdit.PutKeeping(ref editor, _field, exists ? place : null, text[..length], limits);
        if (status == WriteStatus.Done)
            Result = sum;
        return status;
    }

    public WriteStatus Plan(scoped in ObjectView view, ElementChanges changes)
    {
        long present = 0;
        bool isFound = view.TryFindField(_field, out var entry);
        if (isFound && !CanonicalInteger.TryParse(view.ValueOf(entry), out present))
            return WriteStatus.NotAnInteger;
        Result = present;
        if (!CanonicalInteger.TryAdd(present, delta, out long sum))
            return WriteStatus.Overflow;
        Span<byte> text = stackalloc byte[CanonicalInteger.LengthMax];
        changes.PutComputed(_field, text[..CanonicalInteger.Format(sum, text)]);
        if (isFound && entry.Moment != 0)
            changes.Expire(_field, entry.Moment);
        _planned = sum;
        return WriteStatus.Done;
    }

    // Of a field whose name is long.
    public readonly void Prepare(scoped ref LongElementMaker maker)
    {
        Span<byte> text = stackalloc byte[CanonicalInteger.LengthMax];
        maker.Add(_field, text[..CanonicalInteger.Format(_planned, text)]);
    }

    public void Note(int added, int removed) => Result = _planned;
}
