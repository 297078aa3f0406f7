using System.Diagnostics;

namespace Cache.Server.PubSub;

/// <summary>The subscriptions of one client of one kind, by name; under the table's gate.</summary>
/// <remarks>
/// Most clients have one, and a dictionary of one is larger than all else that a subscriber needs: it is made for the
/// second. A small one is kept, since who has had several may have them again. A large one becomes smaller with what is
/// in it: only subscriptions count as memory of the client, not the room that they have left.
/// </remarks>
internal struct SubscriptionSet
{
    // A dictionary with room for no more is kept: two kilobytes.
    private const int KeptCapacityMax = 64;

    // A larger one is replaced once less than this part of it is used: so each removal copies a part of one.
    private const int UsedPartMin = 8;

    // Null, the only one, or all by name.
    private object? _held;
    private int _count;

    /// <summary>How many there are; any thread, perhaps a moment old.</summary>
    public readonly int Count => Volatile.Read(in _count);

    /// <summary>For how many there is room; for tests.</summary>
    public readonly int Capacity => _held is Dictionary<byte[], Subscription> many ? many.Capacity : 1;

    /// <summary>The subscription of that name; null: there is none.</summary>
    public readonly Subscription? Find(ReadOnlySpan<byte> name) => _held switch
    {
        null => null,
        Subscription one => name.SequenceEqual(one.Channel.Name) ? one : null,
        var many => ((Dictionary<byte[], Subscription>)many).GetAlternateLookup<ReadOnlySpan<byte>>()
            .TryGetValue(name, out var found) ? found : null,
    };

    /// <summary>Adds one whose name is not there.</summary>
    public void Add(Subscription subscription)
    {
        Debug.Assert(Find(subscription.Channel.Name) is null);
        if (_held is null)
            _held = subscription;
        else
            Many().Add(subscription.Channel.Name, subscription);
        Volatile.Write(ref _count, _count + 1);
    }

    /// <summary>Removes one that is there; also the present one of an enumeration.</summary>
    public void Remove(Subscription subscription)
    {
        Debug.Assert(Find(subscription.Channel.Name) == subscription);
        if (_held is Dictionary<byte[], Subscription> many)
            Remove(many, subscription.Channel.Name);
        else
            _held = null;
        Volatile.Write(ref _count, _count - 1);
    }

    public readonly Enumerator GetEnumerator() => new(_held);

    // By a copy: an enumeration goes on over the former one, where the rest is left.
    private void Remove(Dictionary<byte[], Subscription> many, byte[] name)
    {
        many.Remove(name);
        if (many.Capacity > KeptCapacityMax && many.Count < many.Capacity / UsedPartMin)
            _held = many.Count > 0 ? new Dictionary<byte[], Subscription>(many, NameComparer.Instance) : null;
    }

    private Dictionary<byte[], Subscription> Many()
    {
        if (_held is Dictionary<byte[], Subscription> many)
            return many;
        var one = (Subscription)_held!;
        many = new Dictionary<byte[], Subscription>(NameComparer.Instance) { [one.Channel.Name] = one };
        _held = many;
        return many;
    }

    /// <summary>Enumerates what was there when it began.</summary>
    public struct Enumerator
    {
        private readonly bool _isMany;
        private Dictionary<byte[], Subscription>.Enumerator _many;
        private Subscription? _one;

        public Enumerator(object? held)
        {
            Current = null!;
            _isMany = held is Dictionary<byte[], Subscription>;
            if (_isMany)
                _many = ((Dictionary<byte[], Subscription>)held!).GetEnumerator();
            else
                _one = (Subscription?)held;
        }

        public Subscription Current { get; private set; }

        public bool MoveNext()
        {
            bool isThere = _isMany ? _many.MoveNext() : _one is not null;
            if (isThere)
                Current = _isMany ? _many.Current.Value : _one!;
            _one = null;
            return isThere;
        }
    }
}
