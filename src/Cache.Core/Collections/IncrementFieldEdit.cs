using System.Buffers.Text;
using System.Diagnostics;
using Cache.Core.Collections.Packed;
using Cache.Core.Operations;

namespace Cache.Core.Collections;

/// <summary>Adds to a field of a hash that is a decimal integer.</summary>
internal ref struct IncrementFieldEdit(ReadOnlySpan<byte> field, long delta) : IPackedEdit
{
    private readonly ReadOnlySpan<byte> _field = field;

    public readonly EntryKind Kind => EntryKind.Hash;

    public long Result { get; private set; }

    public WriteStatus Run(scoped ref PackedEditor editor)
    {
        long present = 0;
        var table = editor.Table;
        bool exists = table.TryFind(_field, PackedPrint.Of(_field), out var place);
        if (exists && !CanonicalInteger.TryParse(table.ValueAt(place), out present))
            return WriteStatus.NotAnInteger;
        long sum = unchecked(present + delta);
        Result = present;
        if (((present ^ sum) & (delta ^ sum)) < 0)
            return WriteStatus.Overflow;
        Span<byte> text = stackalloc byte[CanonicalInteger.LengthMax];
        bool isFormatted = Utf8Formatter.TryFormat(sum, text, out int length);
        Debug.Assert(isFormatted, "Twenty digits hold every 64-bit integer.");
        var status = SetFieldEdit.Put(ref editor, _field, exists ? place : null, text[..length]);
        if (status == WriteStatus.Done)
            Result = sum;
        return status;
    }
}
