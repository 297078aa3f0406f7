using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;
using Cache.Core.Layout;

namespace Cache.Core.Collections.Lists;

/// <summary>Adds an element beside the leftmost one that is equal to another.</summary>
/// <remarks>
/// place: Where that one was found in a long list; null: it was not looked for. searchesAll: Whether it is looked for
/// while the list is held, however long that is: others have changed it in its middle again and again.
/// </remarks>
internal ref struct InsertElementEdit(
    ReadOnlySpan<byte> pivot, ReadOnlySpan<byte> element, bool isBefore, ListPlace? place = null,
    bool searchesAll = false) : IPackedEdit, IObjectEdit
{
    private readonly ReadOnlySpan<byte> _pivot = pivot;
    private readonly ReadOnlySpan<byte> _element = element;

    public readonly EntryKind Kind => EntryKind.List;

    /// <summary>The number of elements afterwards.</summary>
    public long Count { get; private set; }

    /// <summary>Whether nothing was done: the place is to be found, again perhaps.</summary>
    public bool NeedsPlace { get; private set; }

    public WriteStatus Run(scoped ref PackedEditor editor)
    {
        (Count, NeedsPlace) = (editor.Count, false);
        if (editor.Count == 0)
            return WriteStatus.NotFound;
        var table = editor.Table;
        var at = PackedTable.BeforeFirst;
        bool isFound = false;
        while (!isFound && table.TryMoveNext(ref at))
            isFound = table.NameAt(at).SequenceEqual(_pivot);
        if (!isFound)
            return WriteStatus.ConditionNotMet;
        bool isAdded = isBefore
            ? editor.TryInsert(at.Index, at.Start, _element, default)
            : editor.TryInsert(at.Index + 1, at.End, _element, default);
        if (!isAdded)
            return WriteStatus.CollectionTooLong;
        Count = editor.Count;
        return WriteStatus.Done;
    }

    public WriteStatus Plan(scoped in ObjectView view, ElementChanges changes)
    {
        (Count, NeedsPlace) = (view.Count, false);
        long at;
        if (searchesAll || view.Count <= ListPlace.SearchedMax)
        {
            at = Search(view);
            if (at < 0)
                return WriteStatus.ConditionNotMet;
        }
        else if (place is not { } known || !known.TryFind(view, out at)
            || !view.TryGetAt(at, out var found) || !view.IsEqual(found, _pivot))
        {
            NeedsPlace = true;
            return WriteStatus.ConditionNotMet;
        }

        changes.BeginList(view.NextChange);
        changes.Insert(isBefore ? at : at + 1, _element);
        Count++;
        return WriteStatus.Done;
    }

    public readonly void Prepare(scoped ref LongElementMaker maker) => ListPlace.Prepare(ref maker, _element);

    public readonly void Note(int added, int removed)
    {
    }

    private readonly long Search(scoped in ObjectView view)
    {
        var cursor = view.First<ByPosition>().At(0);
        for (long i = 0; i < view.Count && cursor.IsValid; i++, cursor.MoveNext())
        {
            if (view.IsEqual(cursor.Entry, _pivot))
                return i;
        }

        return -1;
    }
}
