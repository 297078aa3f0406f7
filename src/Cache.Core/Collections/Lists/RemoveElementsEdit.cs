using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Lists;

/// <summary>Removes elements that are equal to another, of a list that is searched in one step.</summary>
/// <remarks>count: The most that are removed, from the left; negative: from the right; 0: all.</remarks>
internal ref struct RemoveElementsEdit(long count, ReadOnlySpan<byte> element) : IPackedEdit, IObjectEdit
{
    private const int BitsPerWord = 64;

    private readonly ReadOnlySpan<byte> _element = element;

    public readonly EntryKind Kind => EntryKind.List;

    /// <summary>The number of those that were there.</summary>
    public long Removed { get; private set; }

    /// <summary>Whether nothing was done: it takes more than a step (<see cref="ElementRemover"/>).</summary>
    public bool IsLong { get; private set; }

    public WriteStatus Run(scoped ref PackedEditor editor)
    {
        IsLong = false;
        Span<ulong> found = stackalloc ulong[PackedTable.CountMax / BitsPerWord];
        found.Clear();
        int present = Find(editor.Table, found);
        long most = Math.Min(present, MostOf(count));
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

    public WriteStatus Plan(scoped in ObjectView view, ElementChanges changes)
    {
        (Removed, IsLong) = (0, view.Count > ListPlace.SearchedMax);
        long most = MostOf(count);
        Span<ushort> found = stackalloc ushort[ElementChanges.CountMax];
        var cursor = view.First<ByPosition>().At(count < 0 ? view.Count - 1 : 0);
        for (uint seen = 0; !IsLong && seen < view.Count && Removed < most && cursor.IsValid; seen++)
        {
            if (view.IsEqual(cursor.Entry, _element))
            {
                IsLong = Removed == found.Length;
                if (!IsLong)
                    found[(int)Removed++] = (ushort)(count < 0 ? view.Count - 1 - seen : seen);
            }

            if (count < 0)
                cursor.MovePrevious();
            else
                cursor.MoveNext();
        }

        if (IsLong || Removed == 0)
            return WriteStatus.NotFound;
        changes.BeginList(view.NextChange);
        for (int i = 0; i < Removed; i++) // From the right, so that each is where it was found.
            changes.DropFrom(found[count < 0 ? i : (int)Removed - 1 - i], 1);
        return WriteStatus.Done;
    }

    public readonly void Prepare(scoped ref LongElementMaker maker)
    {
    }

    public readonly void Note(int added, int removed)
    {
    }

    /// <summary>The most that are removed.</summary>
    public static long MostOf(long count) => count is 0 or long.MinValue ? long.MaxValue : Math.Abs(count);

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
