using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.Lists;

/// <summary>Adds an element beside the leftmost one that is equal to another.</summary>
internal ref struct InsertElementEdit(ReadOnlySpan<byte> pivot, ReadOnlySpan<byte> element, bool isBefore) : IPackedEdit
{
    private readonly ReadOnlySpan<byte> _pivot = pivot;
    private readonly ReadOnlySpan<byte> _element = element;

    public readonly EntryKind Kind => EntryKind.List;

    /// <summary>The number of elements afterwards.</summary>
    public long Count { get; private set; }

    public WriteStatus Run(scoped ref PackedEditor editor)
    {
        Count = editor.Count;
        if (editor.Count == 0)
            return WriteStatus.NotFound;
        var table = editor.Table;
        var place = PackedTable.BeforeFirst;
        bool isFound = false;
        while (!isFound && table.TryMoveNext(ref place))
            isFound = table.NameAt(place).SequenceEqual(_pivot);
        if (!isFound)
            return WriteStatus.ConditionNotMet;
        bool isAdded = isBefore
            ? editor.TryInsert(place.Index, place.Start, _element, default)
            : editor.TryInsert(place.Index + 1, place.End, _element, default);
        if (!isAdded)
            return WriteStatus.CollectionTooLong;
        Count = editor.Count;
        return WriteStatus.Done;
    }
}
