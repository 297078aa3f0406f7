using System.Diagnostics;

namespace Cache.Server.Waits;

/// <summary>The waiters of one key and one kind, in the order of their arrival. Under the table's gate.</summary>
internal sealed class WaitQueue
{
    private WaitPlace? _last;

    /// <summary>Who arrived first; null: nobody.</summary>
    public WaitPlace? First { get; private set; }

    /// <summary>Adds a waiter behind those who arrived earlier: almost always at the end.</summary>
    public void Add(WaitPlace place)
    {
        var before = _last;
        while (before is not null && before.Waiter.Arrival > place.Waiter.Arrival)
            before = before.Previous;
        var after = before is null ? First : before.Next;
        (place.Previous, place.Next) = (before, after);
        if (before is null)
            First = place;
        else
            before.Next = place;
        if (after is null)
            _last = place;
        else
            after.Previous = place;
    }

    public void Remove(WaitPlace place)
    {
        Debug.Assert(place.Previous is not null || First == place);
        Debug.Assert(place.Next is not null || _last == place);
        if (place.Previous is null)
            First = place.Next;
        else
            place.Previous.Next = place.Next;
        if (place.Next is null)
            _last = place.Previous;
        else
            place.Next.Previous = place.Previous;
        place.Previous = place.Next = null;
    }
}
