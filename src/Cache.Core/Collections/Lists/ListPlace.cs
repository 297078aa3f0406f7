using Cache.Core.Collections.Objects;

namespace Cache.Core.Collections.Lists;

/// <summary>
/// Where an element of a large list was a moment ago, without what was pushed and popped at the left end since.
/// </summary>
/// <param name="Change">The list's last change.</param>
/// <param name="At">Its index from where the leftmost element was first (<see cref="Layout.ListMarks.Head"/>).</param>
internal readonly record struct ListPlace(ulong Change, long At)
{
    /// <summary>
    /// Longer lists are searched in a snapshot, without a lock, and the place is looked at again under it.
    /// </summary>
    public const int SearchedMax = 1024;

    /// <summary>The place of an element in a snapshot.</summary>
    public static ListPlace Of(in ObjectView view, long index) =>
        new(view.Marks.Change, view.Marks.Head + index);

    /// <summary>The index at which the element is now, if others wrote at the ends alone.</summary>
    /// <returns>False if it is an older list, or the index is not there: the element has gone.</returns>
    public bool TryFind(in ObjectView view, out long index)
    {
        index = At - view.Marks.Head;
        return Change <= view.Marks.Change && (ulong)index < view.Count;
    }

    /// <summary>The block of an element that is written alone.</summary>
    public static void Prepare(scoped ref LongElementMaker maker, scoped ReadOnlySpan<byte> element)
    {
        ReadOnlySpan<byte> name = stackalloc byte[ListChange.FirstNameSize];
        maker.Add(name, element);
    }
}
