using System.Diagnostics;

namespace Cache.Server.Clients;

/// <summary>Parks a client: with a reason, a deadline, and a way to end it.</summary>
/// <remarks>
/// The only way in which a client waits for anything but bytes or a thread. Its connection begins it, within a command,
/// and waits at the end of the command. Any thread can end it with the number that <see cref="Begin"/> returned, even
/// before the wait has begun: no end is lost. If several threads end it the first counts, and a late one ends no other
/// suspension. A thread that is about to do what the client waits for claims it: then nothing else ends it until the
/// claim is given up, so that no element is taken for a client that waits no more. States, under the gate:
/// free → (Begin) parked → (TryEnd, TryUnblock, Close, the deadline) ended → (the wait is over) free;
/// parked → (TryClaim) claimed → (EndClaimed) ended; claimed → (Release) parked, or ended, if an end came meanwhile.
/// </remarks>
internal sealed class Suspension
{
    // The longest time that timers accept; a longer wait never ends by itself.
    private static readonly TimeSpan TimeoutMax = TimeSpan.FromDays(49);

    private readonly Lock _gate = new();
    private volatile SuspensionReason _reason;
    private SuspensionEnd _end;
    private long _number;
    private bool _isClosed;
    private bool _isClaimed;

    // When the present suspension began, on the clock that it was given; null: it counts from the wait.
    private long? _beganAt;

    // What came while it was claimed, and counts if the claim is given up.
    private SuspensionEnd _deferredEnd;
    private TaskCompletionSource? _wait;

    /// <summary>
    /// Continues the client on the thread of its transport; null: on one of the pool. Set by its connection.
    /// </summary>
    public Action<Action<object>, object>? Post { get; set; }

    /// <summary>
    /// Whether the client's peer has gone, which nothing shows while nothing is read; null: not known.
    /// </summary>
    public Func<bool>? IsPeerGone { get; set; }

    /// <summary>Why the client is parked; any thread, perhaps a moment old.</summary>
    public SuspensionReason Reason => _reason;

    /// <summary>The longest time of the present or last suspension; infinite: no deadline.</summary>
    public TimeSpan Timeout { get; private set; }

    /// <summary>Whether it ends by itself; any thread, perhaps a moment old.</summary>
    public bool HasDeadline => Timeout != System.Threading.Timeout.InfiniteTimeSpan;

    /// <summary>Parks the client from now on. For its connection's thread.</summary>
    /// <param name="reason">Why.</param>
    /// <param name="timeout">The longest time.</param>
    /// <param name="clock">Counts that time from now on; null: from the wait, behind the replies before it.</param>
    /// <returns>The number with which it can be ended.</returns>
    public long Begin(SuspensionReason reason, TimeSpan timeout, TimeProvider? clock = null)
    {
        Debug.Assert(reason != SuspensionReason.None);
        lock (_gate)
        {
            Debug.Assert(_wait is null, "A client waits for one thing at a time.");
            _reason = reason;
            _end = _isClosed ? SuspensionEnd.Closing : SuspensionEnd.None;
            Timeout = timeout > TimeoutMax ? System.Threading.Timeout.InfiniteTimeSpan : timeout;
            _beganAt = HasDeadline ? clock?.GetTimestamp() : null;
            return ++_number;
        }
    }

    /// <summary>Ends a suspension. Any thread.</summary>
    /// <returns>Whether this call has ended it; else it had ended before.</returns>
    public bool TryEnd(long number, SuspensionEnd end)
    {
        lock (_gate)
            return number == _number && TryEndCore(end);
    }

    /// <summary>Ends a suspension that CLIENT UNBLOCK may end: that of a blocked command. Any thread.</summary>
    /// <returns>Whether there was one.</returns>
    public bool TryUnblock(SuspensionEnd end)
    {
        lock (_gate)
            return _reason is not (SuspensionReason.Delay or SuspensionReason.Pause or SuspensionReason.Target)
                && TryEndCore(end);
    }

    /// <summary>Ends a suspension of a given reason. Any thread.</summary>
    public void End(SuspensionReason reason, SuspensionEnd end)
    {
        lock (_gate)
        {
            if (_reason == reason)
                TryEndCore(end);
        }
    }

    /// <summary>Keeps a suspension from ending by anything but this claim. Any thread; for a moment.</summary>
    /// <returns>Whether it had not ended before, and nobody else has claimed it.</returns>
    public bool TryClaim(long number)
    {
        lock (_gate)
        {
            if (number != _number || _reason == SuspensionReason.None || _end != SuspensionEnd.None || _isClaimed)
                return false;
            return _isClaimed = true;
        }
    }

    /// <summary>Ends a claimed suspension by its event.</summary>
    public void EndClaimed()
    {
        lock (_gate)
        {
            Debug.Assert(_isClaimed);
            _isClaimed = false;
            _deferredEnd = SuspensionEnd.None;
            TryEndCore(SuspensionEnd.Event);
        }
    }

    /// <summary>Gives a claim up: the suspension goes on, unless it should have ended meanwhile.</summary>
    public void Release()
    {
        lock (_gate)
        {
            Debug.Assert(_isClaimed);
            _isClaimed = false;
            if (_deferredEnd != SuspensionEnd.None)
                TryEndCore(_deferredEnd);
            _deferredEnd = SuspensionEnd.None;
        }
    }

    /// <summary>Ends the present suspension and all later ones: the client is about to end. Any thread.</summary>
    public void Close()
    {
        lock (_gate)
        {
            _isClosed = true;
            TryEndCore(SuspensionEnd.Closing);
        }
    }

    /// <summary>Waits for the end. For its connection's thread; the continuation may run on another.</summary>
    public async ValueTask<SuspensionEnd> WaitAsync(TimeProvider clock)
    {
        if (TryBeginWait() is { } wait)
        {
            await wait.WaitAsync(FindRest(clock), clock).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
            if (!TryExpire())
                await wait.ConfigureAwait(false); // Soon: the thread with the claim says how it ends.
        }

        lock (_gate)
        {
            Debug.Assert(_reason != SuspensionReason.None && _end != SuspensionEnd.None);
            var end = _end;
            _reason = SuspensionReason.None;
            _end = SuspensionEnd.None;
            _wait = null;
            return end;
        }
    }

    // A peer that takes no replies, or a busy thread, may have kept the wait from beginning.
    private TimeSpan FindRest(TimeProvider clock)
    {
        if (_beganAt is not { } beganAt)
            return Timeout;
        var rest = Timeout - clock.GetElapsedTime(beganAt);
        return rest > TimeSpan.Zero ? rest : TimeSpan.Zero;
    }

    private Task? TryBeginWait()
    {
        lock (_gate)
        {
            if (_end != SuspensionEnd.None)
                return null;

            // The thread that ends it may be executing a command: the client must not continue there.
            _wait = new TaskCompletionSource(
                Post is null ? TaskCreationOptions.RunContinuationsAsynchronously : TaskCreationOptions.None);
            return _wait.Task;
        }
    }

    /// <returns>False if it goes on for now, since it is claimed.</returns>
    private bool TryExpire()
    {
        lock (_gate)
        {
            if (_end == SuspensionEnd.None)
                TryEndCore(SuspensionEnd.Deadline);
            return !_isClaimed;
        }
    }

    private bool TryEndCore(SuspensionEnd end)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread && end != SuspensionEnd.None);
        if (_reason == SuspensionReason.None || _end != SuspensionEnd.None)
            return false;
        if (_isClaimed)
        {
            bool isFirst = _deferredEnd == SuspensionEnd.None;
            if (isFirst || end == SuspensionEnd.Closing)
                _deferredEnd = end;
            return isFirst;
        }

        _end = end;
        if (_wait is { } wait && Post is { } post)
            post(static task => ((TaskCompletionSource)task).TrySetResult(), wait);
        else
            _wait?.TrySetResult();
        return true;
    }
}
