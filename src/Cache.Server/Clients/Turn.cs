namespace Cache.Server.Clients;

/// <summary>The share of a thread's time that one client may use while other clients wait for the thread.</summary>
/// <remarks>
/// A turn begins when the other clients of the thread have had theirs. A request that is too much work for a turn is
/// executed elsewhere: it waits as a whole, not yet begun, and so do the requests behind it. Three things decide,
/// before the request has any effect: the kind of the command, the number of its arguments, and what its handler knows
/// of its keys and values. A turn is bounded in time too, since a thousand commands of ten microseconds take as long as
/// one of ten milliseconds. The clock is read only for commands that are not short by kind: GET and SET are bounded by
/// the bytes of a receive.
/// </remarks>
internal struct Turn
{
    /// <summary>A request with more arguments is executed elsewhere: about 0.3 ms for keys.</summary>
    public const int ArgumentsMax = 1024;

    /// <summary>
    /// More work is done elsewhere: bytes that are copied, or steps of about a nanosecond; about 0.3 ms if the memory
    /// is new and touched for the first time.
    /// </summary>
    public const long WorkMax = 512 * 1024;

    // A turn that has taken longer ends before the next command that is not short by kind.
    private static readonly TimeSpan TimeMax = TimeSpan.FromMilliseconds(1);

    private long _start;

    /// <summary>The others of the thread have had their turns.</summary>
    public void Begin() => _start = 0;

    /// <summary>Whether its time is over; reads the clock; the first call begins the measurement.</summary>
    public bool IsOver(TimeProvider clock)
    {
        long now = clock.GetTimestamp();
        if (_start == 0)
            _start = now;
        return clock.GetElapsedTime(_start, now) > TimeMax;
    }
}
