using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.Lists;

/// <summary>Removes all elements but a range.</summary>
internal struct TrimEdit(long first, long last) : IPackedEdit
{
    public readonly EntryKind Kind => EntryKind.List;

    public readonly WriteStatus Run(scoped ref PackedEditor editor)
    {
        if (editor.Count == 0)
            return WriteStatus.NotFound;
        var (start, length) = ListRange.Within(first, last, editor.Count);
        RemoveFrom(ref editor, (int)(start + length), editor.Count);
        RemoveFrom(ref editor, 0, (int)start);
        return WriteStatus.Done;
    }

    private static void RemoveFrom(scoped ref PackedEditor editor, int index, int end)
    {
        if (index == end)
            return;
        int start = ListRange.StartOf(editor.Table, index);
        editor.RemoveRange(index, end - index, start, ListRange.StartOf(editor.Table, end));
    }
}
