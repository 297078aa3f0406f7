namespace Cache.Server.Statistics;

/// <summary>The last rare events. Thread-safe.</summary>
/// <remarks>
/// When there are too many, the oldest of the kind with most goes: a pause in each second leaves the change of the
/// configuration that caused it.
/// </remarks>
internal sealed class EventLog
{
    /// <summary>The most events that are kept: some days of a server in trouble, at most 5 MB.</summary>
    public const int EventsMax = 10_000;

    /// <summary>The longest text; the rest is cut.</summary>
    public const int TextLengthMax = 256;

    private readonly Lock _lock = new();

    // By their kinds, of which there are a fixed few.
    private readonly Dictionary<string, Queue<ServerEvent>> _events = new(StringComparer.Ordinal);
    private long _nextId;
    private int _count;

    /// <summary>The events ever.</summary>
    public long Total
    {
        get
        {
            lock (_lock)
                return _nextId;
        }
    }

    /// <summary>Adds an event, which gets the next number.</summary>
    public void Add(long atUnixMs, string kind, string detail, string client = "")
    {
        string kept = detail.Length > TextLengthMax ? detail[..TextLengthMax] : detail;
        lock (_lock)
        {
            if (!_events.TryGetValue(kind, out var ofKind))
                _events[kind] = ofKind = new Queue<ServerEvent>();
            ofKind.Enqueue(new ServerEvent(_nextId++, atUnixMs, kind, kept, client));
            if (_count == EventsMax)
                RemoveOldestOfMost();
            else
                _count++;
        }
    }

    /// <summary>The youngest events, the youngest first.</summary>
    /// <param name="count">At most so many.</param>
    /// <param name="sinceId">None with a lower number.</param>
    public List<ServerEvent> GetLast(int count, long sinceId = 0)
    {
        var last = new List<ServerEvent>();
        lock (_lock)
        {
            foreach (var ofKind in _events.Values)
                last.AddRange(ofKind);
        }

        last.RemoveAll(one => one.Id < sinceId);
        last.Sort(static (one, other) => other.Id.CompareTo(one.Id));
        if (last.Count > count)
            last.RemoveRange(count, last.Count - count);
        return last;
    }

    private void RemoveOldestOfMost()
    {
        Queue<ServerEvent>? most = null;
        foreach (var ofKind in _events.Values)
        {
            if (ofKind.Count > (most?.Count ?? 0))
                most = ofKind;
        }

        most?.Dequeue();
    }
}
