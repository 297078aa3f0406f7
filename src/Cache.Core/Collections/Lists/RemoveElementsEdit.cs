using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.Lists;

/// <summary>Removes elements that are equal to another.</summary>
/// <remarks>count: The most that are removed, from the left; negative: from the right; 0: all.</remarks>
internal ref struct RemoveElementsEdit(long count, ReadOnlySpan<byte> element) : IPackedEdit
{
    private const int BitsPerWord = 64;

    private readonly ReadOnlySpan<byte> _element = element;

    public readonly EntryKind Kind => EntryKind.List;

    /// <summary>The number of those that were there.</summary>
    public long Removed { get; private set; }

    public WriteStatus Run(scoped ref PackedEditor editor)
    {
        Span<ulong> found = stackalloc ulong[PackedTable.CountMax / BitsPerWord];
        found.Clear();
        int present = Find(editor.Table, found);
        long most = count == 0 ? present : Math.Min(present, count == long.MinValue ? present : Math.Abs(count));
        Removed = most;
        long skipped = count < 0 ? 0 : present - most; // From the right end, at which it begins.
        for (int i = editor.Count - 1; i >= 0 && most > 0; i--)
        {
            if ((found[i / BitsPerWord] & (1UL << (i % BitsPerWord))) == 0 || skipped-- > 0)
                continue;
            if (editor.Table.TryGetAt(i, out var place))
                editor.Remove(place);
            most--;
        }

        return Removed > 0 ? WriteStatus.Done : WriteStatus.NotFound;
    }

    // One bit for each element.
    private readonly int Find(in PackedTable table, Span<ulong> found)
    {
        int present = 0;
        for (var place = PackedTable.BeforeFirst; table.TryMoveNext(ref place);)
        {
            if (!table.NameAt(place).SequenceEqual(_element))
                continue;
            found[place.Index / BitsPerWord] |= 1UL << (place.Index % BitsPerWord);
            present++;
        }

        return present;
    }
}
