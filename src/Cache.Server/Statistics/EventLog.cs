namespace Cache.Server.Statistics;

/// <summary>The last rare events. Thread-safe.</summary>
internal sealed class EventLog
{
    /// <summary>The most events that are kept: some days of a server in trouble, at most 5 MB.</summary>
    public const int EventsMax = 10_000;

    /// <summary>The longest text; the rest is cut.</summary>
    public const int TextLengthMax = 256;

    private readonly Lock _lock = new();
    private readonly Queue<ServerEvent> _events = new();
    private long _nextId;

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
            _events.Enqueue(new ServerEvent(_nextId++, atUnixMs, kind, kept, client));
            if (_events.Count > EventsMax)
                _events.Dequeue();
        }
    }

    /// <summary>The youngest events, the youngest first.</summary>
    /// <param name="count">At most so many.</param>
    /// <param name="sinceId">None with a lower number.</param>
    public List<ServerEvent> GetLast(int count, long sinceId = 0)
    {
        lock (_lock)
        {
            var last = new List<ServerEvent>();
            foreach (var one in _events.Reverse())
            {
                if (last.Count >= count || one.Id < sinceId)
                    break;
                last.Add(one);
            }

            return last;
        }
    }
}
