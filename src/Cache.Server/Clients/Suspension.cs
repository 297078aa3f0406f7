using System.Diagnostics;

namespace Cache.Server.Clients;

/// <summary>Parks a client: with a reason, a deadline, and a way to end it.</summary>
/// <remarks>
/// The only way in which a client waits for anything but bytes or a thread. Its connection begins it, within a command,
/// and waits at the end of the command. Any thread can end it with the number that <see cref="Begin"/> returned, even
/// before the wait has begun: no end is lost. If several threads end it the first counts, and a late one ends no other
/// suspension. States, under the gate:
/// free → (Begin) parked → (TryEnd, TryUnblock, Close, the deadline) ended → (the wait is over) free.
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
    private TaskCompletionSource? _wait;

    /// <summary>Why the client is parked; any thread, perhaps a moment old.</summary>
    public SuspensionReason Reason => _reason;

    /// <summary>The longest time of the present or last suspension; infinite: no deadline.</summary>
    public TimeSpan Timeout { get; private set; }

    /// <summary>Parks the client from now on. For its connection's thread.</summary>
    /// <returns>The number with which it can be ended.</returns>
    public long Begin(SuspensionReason reason, TimeSpan timeout)
    {
        Debug.Assert(reason != SuspensionReason.None);
        lock (_gate)
        {
            Debug.Assert(_wait is null, "A client waits for one thing at a time.");
            _reason = reason;
            _end = _isClosed ? SuspensionEnd.Closing : SuspensionEnd.None;
            Timeout = timeout > TimeoutMax ? System.Threading.Timeout.InfiniteTimeSpan : timeout;
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
            return _reason != SuspensionReason.Delay && TryEndCore(end);
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
            await wait.WaitAsync(Timeout, clock).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        lock (_gate)
        {
            Debug.Assert(_reason != SuspensionReason.None);
            var end = _end == SuspensionEnd.None ? SuspensionEnd.Deadline : _end;
            _reason = SuspensionReason.None;
            _end = SuspensionEnd.None;
            _wait = null;
            return end;
        }
    }

    private Task? TryBeginWait()
    {
        lock (_gate)
        {
            if (_end != SuspensionEnd.None)
                return null;

            // The thread that ends it may be executing a command: the client must not continue there.
            _wait = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            return _wait.Task;
        }
    }

    private bool TryEndCore(SuspensionEnd end)
    {
        Debug.Assert(_gate.IsHeldByCurrentThread && end != SuspensionEnd.None);
        if (_reason == SuspensionReason.None || _end != SuspensionEnd.None)
            return false;
        _end = end;
        _wait?.TrySetResult();
        return true;
    }
}
