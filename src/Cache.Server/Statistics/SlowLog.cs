namespace Cache.Server.Statistics;

/// <summary>The last requests that exceeded a limit, the youngest first. Thread-safe.</summary>
internal sealed class SlowLog
{
    /// <summary>The most requests, some kilobytes each, whatever is asked for.</summary>
    public const int LengthMax = 100_000;

    private readonly Lock _lock = new();
    private readonly LinkedList<SlowRequest> _requests = [];
    private long _nextId;

    public int Count
    {
        get
        {
            lock (_lock)
                return _requests.Count;
        }
    }

    /// <summary>The requests ever.</summary>
    public long Total
    {
        get
        {
            lock (_lock)
                return _nextId;
        }
    }

    /// <summary>Adds a request, which gets the next number.</summary>
    /// <param name="request">The request.</param>
    /// <param name="lengthMax">At most this many of the latest ones are kept.</param>
    public void Add(SlowRequest request, long lengthMax)
    {
        lock (_lock)
        {
            _requests.AddFirst(request with { Id = _nextId++ });
            TrimCore(lengthMax);
        }
    }

    /// <summary>Forgets all but so many of the latest ones.</summary>
    public void Trim(long lengthMax)
    {
        lock (_lock)
            TrimCore(lengthMax);
    }

    /// <summary>The youngest requests.</summary>
    public List<SlowRequest> GetLast(long count)
    {
        var last = new List<SlowRequest>();
        lock (_lock)
        {
            foreach (var request in _requests)
            {
                if (last.Count >= count)
                    break;
                last.Add(request);
            }
        }

        return last;
    }

    /// <summary>Forgets all; their numbers are not used again.</summary>
    public void Clear()
    {
        lock (_lock)
            _requests.Clear();
    }

    private void TrimCore(long lengthMax)
    {
        while (_requests.Count > Math.Min(lengthMax, LengthMax))
            _requests.RemoveLast();
    }
}
