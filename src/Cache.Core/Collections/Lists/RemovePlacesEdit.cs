using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.Lists;

/// <summary>Removes elements of a long list from where they were found in a snapshot, a step's at most.</summary>
/// <remarks>places: Ascending. An element that is another one by now stays.</remarks>
internal ref struct RemovePlacesEdit(ReadOnlySpan<ListPlace> places, ReadOnlySpan<byte> element)
    : IPackedEdit, IObjectEdit
{
    private readonly ReadOnlySpan<ListPlace> _places = places;
    private readonly ReadOnlySpan<byte> _element = element;

    public readonly EntryKind Kind => EntryKind.List;

    public int Removed { get; private set; }

    /// <summary>By how many places those to the right have come nearer.</summary>
    public int Shift { get; private set; }

    /// <summary>Whether one was at another place.</summary>
    public bool IsOutdated { get; private set; }

    // It is another list.
    public WriteStatus Run(scoped ref PackedEditor editor)
    {
        (Removed, Shift, IsOutdated) = (0, 0, true);
        return WriteStatus.NotFound;
    }

    public WriteStatus Plan(scoped in ObjectView view, ElementChanges changes)
    {
        (Removed, Shift, IsOutdated) = (0, 0, false);
        changes.BeginList(view.NextChange);
        for (int i = _places.Length - 1; i >= 0; i--)
        {
            if (!_places[i].TryFind(view, out long at) || !view.TryGetAt(at, out var entry))
            {
                IsOutdated |= _places[i].Change > view.Marks.Change;
                continue;
            }

            if (!view.IsEqual(entry, _element))
            {
                IsOutdated = true;
                continue;
            }

            changes.DropFrom(at, 1);
            Removed++;
            Shift += at == 0 ? 0 : 1; // From the left end they stay where they are: it moves.
        }

        return Removed == 0 ? WriteStatus.NotFound : WriteStatus.Done;
    }

    public readonly void Prepare(scoped ref LongElementMaker maker)
    {
    }

    public readonly void Note(int added, int removed)
    {
    }
}
