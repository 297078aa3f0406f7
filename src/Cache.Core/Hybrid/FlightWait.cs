namespace Cache.Core.Hybrid;

/// <summary>Which flights wait for which: those whose factories ask for the values of others.</summary>
/// <remarks>
/// A factory knows its flight by an asynchronous local. A call that waits for a flight leaves an edge from its own
/// factory's flight, if it has one; a wait that would close a circle would never end, and throws instead. Kept apart
/// from the flight, since what a factory starts may hold this for long. All waits of the process share one gate:
/// misses inside of factories are rare, and slow.
/// </remarks>
internal sealed class FlightWait
{
    private static readonly AsyncLocal<FlightWait?> _current = new();
    private static readonly Lock _gate = new();

    // The search that is under way, and what is still to be looked at; guarded by the gate.
    private static readonly Stack<FlightWait> _found = [];
    private static long _search;

    // Guarded by the gate; a flight more than once if several calls of the factory wait for it.
    private List<FlightWait>? _waitsFor;

    // The last search that came by; guarded by the gate.
    private long _foundBy;

    /// <summary>That of the factory that runs here; null: none.</summary>
    public static FlightWait? Current => _current.Value;

    /// <summary>Marks what runs from here on, in this asynchronous method, as the flight's factory.</summary>
    public void Enter() => _current.Value = this;

    /// <summary>Notes that this flight's factory waits for another flight.</summary>
    /// <returns>False if that one waits for this: neither would ever end.</returns>
    public bool TryBegin(FlightWait other)
    {
        lock (_gate)
        {
            if (other.Reaches(this))
                return false;
            (_waitsFor ??= []).Add(other);
            return true;
        }
    }

    public void End(FlightWait other)
    {
        lock (_gate)
            _waitsFor!.Remove(other);
    }

    // Each flight is looked at once, since many ways may lead to it; and without recursion, since one may be long.
    private bool Reaches(FlightWait wanted)
    {
        _search++;
        Find(this);
        while (_found.TryPop(out var flight))
        {
            if (flight == wanted)
            {
                _found.Clear();
                return true;
            }

            if (flight._waitsFor is null)
                continue;
            foreach (var next in flight._waitsFor)
                Find(next);
        }

        return false;
    }

    private static void Find(FlightWait flight)
    {
        if (flight._foundBy == _search)
            return;
        flight._foundBy = _search;
        _found.Push(flight);
    }
}
