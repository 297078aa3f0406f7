namespace Cache.Core.Hybrid;

/// <summary>The flights that write to the second level, or are about to, by key.</summary>
/// <remarks>
/// Such a write ends after callers stop joining the flight, so a later flight of the key may have begun, and even
/// ended, by then. A removal must reach all of them.
/// </remarks>
internal sealed class SecondLevelWriters
{
    private readonly Lock _gate = new();
    private readonly Dictionary<string, List<Flight>> _flights = new(StringComparer.Ordinal);

    public bool IsEmpty
    {
        get
        {
            lock (_gate)
                return _flights.Count == 0;
        }
    }

    public void Add(Flight flight)
    {
        lock (_gate)
        {
            if (!_flights.TryGetValue(flight.Key, out var present))
                _flights.Add(flight.Key, present = []);
            foreach (var earlier in present)
                earlier.LaterWriter = flight;
            present.Add(flight);
        }
    }

    public void Remove(Flight flight)
    {
        lock (_gate)
        {
            if (_flights.TryGetValue(flight.Key, out var present) && present.Remove(flight) && present.Count == 0)
                _flights.Remove(flight.Key);
        }
    }

    /// <summary>The last flight of the key that began to write, if later than this one.</summary>
    public Flight? LaterThan(Flight flight)
    {
        lock (_gate)
            return flight.LaterWriter;
    }

    /// <summary>
    /// Whether a flight of the key was superseded: its value may be in the second level until the flight removes it.
    /// </summary>
    public bool IsAnySuperseded(string key)
    {
        lock (_gate)
        {
            return _flights.TryGetValue(key, out var present)
                && present.Exists(static flight => flight.IsSupersededNow);
        }
    }

    /// <summary>Supersedes all flights of a key, so that none of their values stays there.</summary>
    public void Supersede(string key)
    {
        lock (_gate)
        {
            if (!_flights.TryGetValue(key, out var present))
                return;
            foreach (var flight in present)
                flight.Supersede();
        }
    }
}
