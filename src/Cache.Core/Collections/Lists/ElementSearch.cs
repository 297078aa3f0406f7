using System.Diagnostics;
using Cache.Core.Collections.Objects;
using Cache.Core.Collections.Packed;
using Cache.Core.Collections.Trees;
using Cache.Core.Layout;
using Cache.Core.Sharding;

namespace Cache.Core.Collections.Lists;

/// <summary>Goes through the elements of a list that are equal to another, from the left or from the right.</summary>
internal ref struct ElementSearch
{
    // A store that is disposed meanwhile leaves zeros: seen after so many elements, and at the end.
    private const int ElementsPerCheck = 1024;

    private readonly StoreState _state;
    private readonly PackedTable _table;
    private readonly ObjectView _view;
    private readonly bool _isObject;
    private readonly ReadOnlySpan<byte> _element;
    private readonly ListSearch _search;
    private TreeCursor<ByPosition> _cursor;
    private PackedPlace _place;
    private long _compared;
    private long _seen;

    public ElementSearch(StoreState state, in CollectionCopy copy, ReadOnlySpan<byte> element, in ListSearch search)
    {
        Debug.Assert(search.Rank != 0);
        _state = state;
        _isObject = copy.IsObject;
        _table = _isObject ? default : copy.Table;
        _view = copy.View;
        _element = element;
        _search = search;
        Begin();
    }

    private readonly bool IsFromRight => _search.Rank < 0;

    public static void ThrowIfInvalid(in ListSearch search)
    {
        ArgumentOutOfRangeException.ThrowIfZero(search.Rank);
        ArgumentOutOfRangeException.ThrowIfNegative(search.Count);
        ArgumentOutOfRangeException.ThrowIfNegative(search.ComparedMax);
    }

    /// <summary>The number of all that will be found; afterwards it is at its beginning.</summary>
    public long CountAll()
    {
        long count = 0;
        while (TryMoveNext(out _))
            count++;
        Begin();
        return count;
    }

    public bool TryMoveNext(out long index)
    {
        // The equal ones that are passed over, and the one behind the last that counts; unsigned, so none overflows.
        ulong skipped = (ulong)(IsFromRight ? -(_search.Rank + 1) : _search.Rank - 1);
        ulong end = _search.Count == 0 ? ulong.MaxValue : skipped + (ulong)_search.Count;
        while ((ulong)_seen < end && (_search.ComparedMax == 0 || _compared < _search.ComparedMax) && TryStep())
        {
            _compared++;
            if (!IsEqual() || (ulong)_seen++ < skipped)
                continue;
            index = !_isObject ? _place.Index : IsFromRight ? _view.Count - _compared : _compared - 1;
            return true;
        }

        index = -1;
        return false;
    }

    private void Begin()
    {
        (_compared, _seen) = (0, 0);
        _place = IsFromRight && !_isObject ? new() { Index = _table.Count } : PackedTable.BeforeFirst;
        if (_isObject)
            _cursor = _view.First<ByPosition>().At(IsFromRight ? _view.Count - 1 : 0);
    }

    private readonly bool IsEqual() => _isObject
        ? _view.IsEqual(_cursor.Entry, _element)
        : _table.NameAt(_place).SequenceEqual(_element);

    private bool TryStep()
    {
        if (!_isObject)
            return IsFromRight ? _table.TryGetAt(_place.Index - 1, out _place) : _table.TryMoveNext(ref _place);
        if (_compared % ElementsPerCheck == 0 || _compared == _view.Count)
            _state.ThrowIfDisposed();
        if (_compared == _view.Count)
            return false;
        if (_compared == 0)
            return _cursor.IsValid;
        return IsFromRight ? _cursor.MovePrevious() : _cursor.MoveNext();
    }
}
