namespace Cache.Core.Hybrid;

/// <summary>The graph of flights that wait for others, because their factories ask for other values.</summary>
/// <remarks>
/// A factory finds its flight in an asynchronous local. A call that waits for a flight adds an edge from its own
/// factory's flight, if it has one; a wait that would close a cycle would never end, and throws instead. Not part of
/// the flight, since what a factory starts may hold a reference to this for long. All waits of the process share one
/// gate: misses inside of factories are rare, and slow.
/// </remarks>
internal sealed class FlightWait
{
    private static readonly AsyncLocal<FlightWait?> _current = new();
    private static readonly Lock _gate = new();

    // The search that is under way, and the flights that it has not visited yet; guarded by the gate.
    private static readonly Stack<FlightWait> _found = [];
    private static long _search;

    // Guarded by the gate; a flight more than once if several calls of the factory wait for it.
    private List<FlightWait>? _waitsFor;

    // The last search that visited this flight; guarded by the gate.
    private long _foundBy;

    /// <summary>The flight of the factory that runs here; null: none.</summary>
    public static FlightWait? Current => _current.Value;

    /// <summary>Marks the rest of the calling asynchronous method as the flight's factory.</summary>
    public void Enter() => _current.Value = this;

    /// <summary>Notes that this flight's factory waits for another flight.</summary>
    /// <returns>False if the other waits for this one: neither would ever end.</returns>
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

    // Visits each flight once, since many paths may lead to it, and without recursion, since a path may be long.
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
