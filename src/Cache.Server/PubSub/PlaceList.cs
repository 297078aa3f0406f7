using System.Diagnostics;

namespace Cache.Server.PubSub;

/// <summary>Some objects in the order of their coming, which any thread reads while one changes them.</summary>
/// <remarks>
/// Changed under the table's gate. A reader needs none: a place is filled once and emptied once, and a new array has
/// all that are left. So it meets all that were there before it began and still are; those that come or go meanwhile
/// may be met or not. Each place is copied once on average, so a change takes the same time whatever there is.
/// </remarks>
internal abstract class PlaceList<T>
    where T : class, IPlaced
{
    private const int PlacesMin = 4;

    private T?[] _places = [];
    private int _used;

    /// <summary>Their number; any thread, perhaps a moment old.</summary>
    public int Count { get; private set; }

    /// <summary>They, among empty places; any thread.</summary>
    public ReadOnlySpan<T?> Places => Volatile.Read(ref _places);

    /// <summary>Adds one at the end. Under the table's gate.</summary>
    public void Add(T one)
    {
        if (_used == _places.Length)
            Rebuild();
        one.Place = _used;
        Volatile.Write(ref _places[_used++], one);
        Count++;
    }

    /// <summary>Removes one. Under the table's gate.</summary>
    public void Remove(T one)
    {
        Debug.Assert(_places[one.Place] == one);
        Volatile.Write(ref _places[one.Place], null);
        Count--;
        if (Count == 0)
            (_places, _used) = ([], 0);
        else if (_used > PlacesMin && Count < _used / 4)
            Rebuild();
    }

    // Twice the room of what is left: so a quarter is used at least.
    private void Rebuild()
    {
        var places = new T?[Math.Max(PlacesMin, Count * 2)];
        int used = 0;
        for (int i = 0; i < _used; i++)
        {
            if (_places[i] is not { } one)
                continue;
            one.Place = used;
            places[used++] = one;
        }

        _used = used;
        Volatile.Write(ref _places, places);
    }
}
