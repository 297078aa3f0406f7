namespace Cache.Core.Hybrid;

/// <summary>The flights that write the second level or are about to, by key.</summary>
/// <remarks>
/// A write there ends after the joining, so a later flight of the key may have begun, and even ended, by then. A
/// removal must reach all of them.
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

    /// <summary>The flight of the same key that began to write last, if there is a later one than this.</summary>
    public Flight? LaterThan(Flight flight)
    {
        lock (_gate)
            return flight.LaterWriter;
    }

    /// <summary>Whether a value of a key may lie there that was void before it came, and is about to go.</summary>
    public bool IsAnySuperseded(string key)
    {
        lock (_gate)
        {
            return _flights.TryGetValue(key, out var present)
                && present.Exists(static flight => flight.IsSupersededNow);
        }
    }

    /// <summary>Keeps what the flights of a key bring from staying there.</summary>
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
