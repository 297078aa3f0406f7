namespace Cache.Server.Clients;

/// <summary>What one client may take at a time of a thread that other clients wait for.</summary>
/// <remarks>
/// A turn begins when the others of the thread had theirs. What would be too much for it is executed elsewhere: then
/// the request waits whole, with nothing done, and those behind it wait too. Three things decide, each before anything
/// is done: the command's own kind, the number of its arguments, and what its handler knows of its keys and values.
/// And a turn has an end in time, since a thousand commands of ten microseconds are as long as one of ten
/// milliseconds. The clock is read for commands only that are not short by their kind: GET and SET are counted by the
/// bytes of a receive.
/// </remarks>
internal struct Turn
{
    /// <summary>More arguments belong to a request that is executed elsewhere: about 0.3 ms for keys.</summary>
    public const int ArgumentsMax = 1024;

    /// <summary>
    /// More work is done elsewhere: bytes that are copied, or steps of about a nanosecond; with new memory that is
    /// touched for the first time about 0.3 ms.
    /// </summary>
    public const long WorkMax = 512 * 1024;

    // A turn that has taken longer ends before the next command that is not short by its kind.
    private static readonly TimeSpan TimeMax = TimeSpan.FromMilliseconds(1);

    private long _start;

    /// <summary>The others of the thread have had their turns.</summary>
    public void Begin() => _start = 0;

    /// <summary>Whether its time is over; reads the clock, for the first time where it begins.</summary>
    public bool IsOver(TimeProvider clock)
    {
        long now = clock.GetTimestamp();
        if (_start == 0)
            _start = now;
        return clock.GetElapsedTime(_start, now) > TimeMax;
    }
}
