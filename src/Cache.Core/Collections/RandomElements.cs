using Cache.Core.Collections.Packed;

namespace Cache.Core.Collections;

/// <summary>Chooses elements of a packed collection at random.</summary>
/// <remarks>
/// Different ones keep their order: each is taken with the share of those that are still wanted among those that are
/// left.
/// </remarks>
internal ref struct RandomElements
{
    private readonly ElementStarts _starts;
    private readonly bool _mayRepeat;
    private long _wanted;
    private int _index;

    public RandomElements(PackedTable table, long count, bool mayRepeat)
    {
        _starts = new ElementStarts(table);
        _mayRepeat = mayRepeat;
        Count = _wanted = mayRepeat ? count : Math.Min(count, table.Count);
    }

    /// <summary>The number that is chosen.</summary>
    public long Count { get; }

    /// <returns>False when all are told.</returns>
    public bool TryMoveNext(out PackedPlace place)
    {
        place = default;
        if (_wanted == 0)
            return false;
        if (_mayRepeat)
            _index = Random.Shared.Next(_starts.Count);
        else
        {
            while (Random.Shared.Next(_starts.Count - _index) >= _wanted)
                _index++;
        }

        place = _starts[_mayRepeat ? _index : _index++];
        _wanted--;
        return true;
    }
}
