using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.Lists;

/// <summary>Takes elements from one end of a list.</summary>
/// <remarks>
/// memory: Where they are kept for the caller, <see cref="PackedEditor.MemorySize"/> bytes. count: At least 1.
/// </remarks>
internal ref struct PopEdit(ListEnd end, long count, Span<byte> memory) : IPackedEdit
{
    private readonly Span<byte> _lengths = memory[..PackedTable.CountMax];
    private readonly Span<byte> _entries = memory.Slice(PackedTable.CountMax, PackedTable.LengthMax);
    private int _count;
    private int _entriesLength;

    public readonly EntryKind Kind => EntryKind.List;

    /// <summary>The elements that were taken, in the order of the list.</summary>
    public readonly PackedTable Taken => new(default, _lengths[.._count], default, _entries[.._entriesLength]);

    public WriteStatus Run(scoped ref PackedEditor editor)
    {
        (_count, _entriesLength) = (0, 0);
        if (editor.Count == 0)
            return WriteStatus.NotFound;
        int taken = (int)Math.Min(count, editor.Count);
        int first = end == ListEnd.Left ? 0 : editor.Count - taken;
        var table = editor.Table;
        int start = ListRange.StartOf(table, first);
        int stop = ListRange.StartOf(table, first + taken);
        table.Lengths.Slice(first, taken).CopyTo(_lengths);
        table.Entries[start..stop].CopyTo(_entries);
        (_count, _entriesLength) = (taken, stop - start);
        editor.RemoveRange(first, taken, start, stop);
        return WriteStatus.Done;
    }
}
