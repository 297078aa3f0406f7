using System.Diagnostics;

namespace Cache.Server.Clients;

/// <summary>A client's being parked: why, until when at most, and how it ends.</summary>
/// <remarks>
/// The one way in which a client waits for anything but bytes or a thread. Its connection begins it, within a command,
/// and waits once that is over; whoever has what it waits for ends it by the number that <see cref="Begin"/> gave, from
/// any thread, perhaps before the wait has begun: nothing is lost. Of several that end it the first counts, and a late
/// one ends no other suspension. States, under the gate:
/// free → (Begin) parked → (TryEnd, TryUnblock, Close, the deadline) ended → (the wait is over) free.
/// </remarks>
internal sealed class Suspension
{
    // What the system's timers take; who waits for longer waits for ever.
    private static readonly TimeSpan TimeoutMax = TimeSpan.FromDays(49);

    private readonly Lock _gate = new();
    private volatile SuspensionReason _reason;
    private SuspensionEnd _end;
    private long _number;
    private bool _isClosed;
    private TaskCompletionSource? _wait;

    /// <summary>Why the client is parked; any thread, perhaps a moment old.</summary>
    public SuspensionReason Reason => _reason;

    /// <summary>How long it is parked at most; infinite: without end. Of the present or the last one.</summary>
    public TimeSpan Timeout { get; private set; }

    /// <summary>Parks the client from now on. Its connection's thread.</summary>
    /// <returns>The number by which it is ended.</returns>
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
    /// <returns>Whether this has ended it; else it had ended.</returns>
    public bool TryEnd(long number, SuspensionEnd end)
    {
        lock (_gate)
            return number == _number && TryEndCore(end);
    }

    /// <summary>Ends one that CLIENT UNBLOCK may end: of a command that waits for something. Any thread.</summary>
    /// <returns>Whether it did.</returns>
    public bool TryUnblock(SuspensionEnd end)
    {
        lock (_gate)
            return _reason != SuspensionReason.Delay && TryEndCore(end);
    }

    /// <summary>Ends this and all later ones: the client is about to end. Any thread.</summary>
    public void Close()
    {
        lock (_gate)
        {
            _isClosed = true;
            TryEndCore(SuspensionEnd.Closing);
        }
    }

    /// <summary>Waits for the end. Its connection's thread; what follows may run on another.</summary>
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

            // Whoever ends it may be in the middle of a command: the client does not go on there.
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
