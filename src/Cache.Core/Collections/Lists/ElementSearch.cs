using System.Diagnostics;
using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections.Lists;

/// <summary>Goes through the elements of a list that are equal to another, from the left or from the right.</summary>
internal ref struct ElementSearch
{
    private readonly PackedTable _table;
    private readonly ReadOnlySpan<byte> _element;
    private readonly ListSearch _search;
    private PackedPlace _place;
    private long _compared;
    private long _seen;

    public ElementSearch(PackedTable table, ReadOnlySpan<byte> element, in ListSearch search)
    {
        Debug.Assert(search.Rank != 0);
        _table = table;
        _element = element;
        _search = search;
        _place = BeforeAll;
    }

    private readonly bool IsFromRight => _search.Rank < 0;

    private readonly PackedPlace BeforeAll => IsFromRight ? new() { Index = _table.Count } : PackedTable.BeforeFirst;

    public static void ThrowIfInvalid(in ListSearch search)
    {
        ArgumentOutOfRangeException.ThrowIfZero(search.Rank);
        ArgumentOutOfRangeException.ThrowIfNegative(search.Count);
        ArgumentOutOfRangeException.ThrowIfNegative(search.ComparedMax);
    }

    /// <summary>The number of all that will be found; afterwards it is at its beginning.</summary>
    public int CountAll()
    {
        int count = 0;
        while (TryMoveNext(out _))
            count++;
        (_place, _compared, _seen) = (BeforeAll, 0, 0);
        return count;
    }

    public bool TryMoveNext(out int index)
    {
        // The equal ones that are passed over, and the one behind the last that counts; unsigned, so none overflows.
        ulong skipped = (ulong)(IsFromRight ? -(_search.Rank + 1) : _search.Rank - 1);
        ulong end = _search.Count == 0 ? ulong.MaxValue : skipped + (ulong)_search.Count;
        while ((ulong)_seen < end && (_search.ComparedMax == 0 || _compared < _search.ComparedMax) && TryStep())
        {
            _compared++;
            if (!_table.NameAt(_place).SequenceEqual(_element) || (ulong)_seen++ < skipped)
                continue;
            index = _place.Index;
            return true;
        }

        index = -1;
        return false;
    }

    private bool TryStep() =>
        IsFromRight ? _table.TryGetAt(_place.Index - 1, out _place) : _table.TryMoveNext(ref _place);
}
