namespace Cache.Server.Statistics;

/// <summary>When the calls of commands begin and end, and which of them share their time.</summary>
/// <remarks>
/// A call begins when the one before it in the same read has ended, so each reads the clock once. Short calls of one
/// command that follow each other in a transaction may share their time: then it is read at the end of the last one.
/// </remarks>
internal struct CallTimes
{
    // As many as requests of the fast path: should a call be slow after all, it is one of these.
    private const int SharedCallsMax = 16;

    // The calls that wait for the end of the one with which they share their time.
    private int _waitingCalls;

    // Whether the present call shares its time with the next one.
    private bool _isShared;

    /// <summary>When the last call ended, in ticks; 0: the clock must be read.</summary>
    public long End { get; private set; }

    /// <summary>The next call begins later: other work is done before it.</summary>
    public void Reset() => End = 0;

    /// <summary>When the call of a command begins, in ticks; the end of the one before, in the same read.</summary>
    public readonly long Begin(TimeProvider clock) => End != 0 ? End : clock.GetTimestamp();

    /// <summary>Ends a call.</summary>
    /// <returns>When.</returns>
    public long EndCall(TimeProvider clock) => End = clock.GetTimestamp();

    /// <summary>Says before a call whether it may share its time with the next one.</summary>
    public void Share(bool isAllowed) => _isShared = isAllowed && _waitingCalls < SharedCallsMax - 1;

    /// <summary>Ends a call without a look at the clock, if it shares its time with the next one.</summary>
    /// <param name="start">When it began.</param>
    public bool TryWaitForNext(long start)
    {
        if (!_isShared)
            return false;
        End = start; // The next one begins there, too.
        _waitingCalls++;
        return true;
    }

    /// <summary>The number of calls that have shared the time of the one that has ended, with itself.</summary>
    public int TakeShared()
    {
        int calls = _waitingCalls + 1;
        _waitingCalls = 0;
        return calls;
    }
}
