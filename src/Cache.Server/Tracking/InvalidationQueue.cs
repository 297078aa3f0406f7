using System.Diagnostics;

namespace Cache.Server.Tracking;

/// <summary>What clients must be told, in the order in which it was noted.</summary>
/// <remarks>
/// Filled under the locks of buckets, so nothing is sent there. It is bounded by the keys that were remembered: each
/// element is one that was forgotten for it. A thread that finds it not empty sends, and waits for another that sends:
/// so what a write has queued is sent before that write ends.
/// </remarks>
internal sealed class InvalidationQueue
{
    // A longer list is not kept.
    private const int KeptMax = 1024;

    private readonly Lock _gate = new();
    private readonly Lock _sending = new();
    private List<Invalidation> _queued = [];
    private List<Invalidation> _spare = [];
    private volatile bool _hasAny;

    /// <summary>Whether something is queued, or not yet sent.</summary>
    public bool HasAny => _hasAny;

    /// <summary>Adds an element. Waits for nothing but an addition.</summary>
    public void Add(in Invalidation invalidation)
    {
        lock (_gate)
        {
            // Of several keyspaces that are cleared together one is told, as Redis does.
            if (invalidation.Key is null && _queued.Count > 0 && _queued[^1].Key is null)
                return;
            _queued.Add(invalidation);
            _hasAny = true;
        }
    }

    /// <summary>Sends all elements; when it returns, those that were queued before have been sent.</summary>
    public void Send(Action<Invalidation> send)
    {
        lock (_sending)
        {
            foreach (var one in Take())
                send(one);
            lock (_gate)
                _hasAny = _queued.Count > 0;
        }
    }

    private List<Invalidation> Take()
    {
        Debug.Assert(_sending.IsHeldByCurrentThread);
        _spare.Clear();
        if (_spare.Capacity > KeptMax)
            _spare = [];
        lock (_gate)
        {
            (_queued, _spare) = (_spare, _queued);
            return _spare;
        }
    }
}
