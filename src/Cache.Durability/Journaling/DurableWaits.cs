namespace Cache.Durability.Journaling;

/// <summary>The callers that wait until records are durable: first come, first served.</summary>
/// <remarks>
/// Places increase roughly in the order in which callers come. A caller that waits behind one with a later place waits
/// for that one's sync, which is the same or the next: callers that come while the disk is busy share one sync.
/// </remarks>
internal sealed class DurableWaits
{
    // More than this are not kept for reuse.
    private const int FreeMax = 1024;

    private readonly Lock _gate = new();
    private DurableWait? _first;
    private DurableWait? _last;
    private DurableWait? _free;
    private int _freeCount;
    private ulong _durableLsn;
    private Exception? _failure;

    /// <summary>Whether a caller waits.</summary>
    public bool IsEmpty
    {
        get
        {
            lock (_gate)
                return _first == null;
        }
    }

    /// <summary>Completes when every record before the place is durable; at once if they are.</summary>
    /// <exception cref="IOException">They never will be: the journal was suspended.</exception>
    public ValueTask WaitAsync(ulong lsn)
    {
        lock (_gate)
        {
            if (lsn <= _durableLsn)
                return default;
            if (_failure != null)
                return ValueTask.FromException(_failure);
            var wait = _free ?? new DurableWait(this);
            if (_free != null)
                (_free, _freeCount) = (wait.Next, _freeCount - 1);
            var task = wait.Begin(lsn);
            if (_last == null)
                _first = wait;
            else
                _last.Next = wait;
            _last = wait;
            return task;
        }
    }

    /// <summary>Advances the place up to which records are durable.</summary>
    public void Advance(ulong durableLsn)
    {
        lock (_gate)
            _durableLsn = Math.Max(_durableLsn, durableLsn);
        while (Take(isFailed: false) is { } wait)
            wait.End(null);
    }

    /// <summary>Ends all waits, and later ones until <see cref="Heal"/>.</summary>
    /// <param name="failure">The error for the callers; null if unrecorded writes are allowed to continue.</param>
    public void Fail(Exception? failure)
    {
        lock (_gate)
        {
            _failure = failure;
            if (failure == null)
                _durableLsn = ulong.MaxValue;
        }

        while (Take(isFailed: true) is { } wait)
            wait.End(failure);
    }

    /// <summary>Lets callers wait again, for records from now on.</summary>
    public void Heal(ulong durableLsn)
    {
        lock (_gate)
            (_failure, _durableLsn) = (null, durableLsn);
    }

    public void Return(DurableWait wait)
    {
        lock (_gate)
        {
            if (_freeCount == FreeMax)
                return;
            wait.Next = _free;
            (_free, _freeCount) = (wait, _freeCount + 1);
        }
    }

    private DurableWait? Take(bool isFailed)
    {
        lock (_gate)
        {
            var wait = _first;
            if (wait == null || (!isFailed && wait.Lsn > _durableLsn))
                return null;
            _first = wait.Next;
            if (_first == null)
                _last = null;
            return wait;
        }
    }
}
