using System.Diagnostics;

namespace Cache.Server.PubSub;

/// <summary>A channel or a pattern, and who is subscribed to it, in the order of their coming.</summary>
/// <remarks>
/// Changed under the table's gate. Publishers read the places without a lock: a place is filled once and emptied once,
/// and a new array has all that are left. So a publisher meets everybody who was subscribed before it began and is
/// still; whoever comes or goes meanwhile may be met or not.
/// </remarks>
internal sealed class Channel(byte[] name, ChannelKind kind)
{
    private const int PlacesMin = 4;

    private Subscription?[] _places = [];
    private int _used;

    public byte[] Name { get; } = name;

    public ChannelKind Kind { get; } = kind;

    /// <summary>The number of subscriptions; any thread, perhaps a moment old.</summary>
    public int Count { get; private set; }

    /// <summary>The subscriptions among empty places; any thread.</summary>
    public ReadOnlySpan<Subscription?> Places => Volatile.Read(ref _places);

    /// <summary>Adds a subscription. Under the table's gate.</summary>
    public void Add(Subscription subscription)
    {
        if (_used == _places.Length)
            Rebuild();
        subscription.Place = _used;
        Volatile.Write(ref _places[_used++], subscription);
        Count++;
    }

    /// <summary>Removes a subscription. Under the table's gate.</summary>
    public void Remove(Subscription subscription)
    {
        Debug.Assert(_places[subscription.Place] == subscription);
        Volatile.Write(ref _places[subscription.Place], null);
        Count--;
        if (Count == 0)
            (_places, _used) = ([], 0);
        else if (_used > PlacesMin && Count < _used / 4)
            Rebuild();
    }

    // Twice the room of what is left: so each place is copied once on average, and a quarter is used at least.
    private void Rebuild()
    {
        var places = new Subscription?[Math.Max(PlacesMin, Count * 2)];
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
