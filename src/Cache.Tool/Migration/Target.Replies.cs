using Cache.Tool.Client;
using Cache.Tool.Verbs;

namespace Cache.Tool.Migration;

internal sealed partial class Target
{
    private readonly object _gate = new();
    private readonly Queue<Pending> _pending = new();
    private long _pendingBytes;
    private long _passed;
    private long _applied;
    private int _partRefusals;
    private bool _isClosed;
    private Reply? _reply;
    private ToolException? _failure;

    /// <summary>Called once, on another thread, when nothing goes on any more.</summary>
    public Action? OnFailure { get; set; }

    /// <summary>The place of the source's stream up to which all is done.</summary>
    public long Applied
    {
        get
        {
            lock (_gate)
                return _applied;
        }
    }

    /// <summary>Notes a place of the source's stream that needs no request.</summary>
    public void Pass(long offset)
    {
        lock (_gate)
        {
            _passed = offset;
            if (_pending.Count == 0)
                _applied = offset;
        }
    }

    /// <summary>Begins with another stream, at a place of it.</summary>
    public void Restart(long offset)
    {
        Drain();
        lock (_gate)
            (_passed, _applied) = (offset, offset);
    }

    /// <summary>Waits until all replies are there.</summary>
    public void Drain()
    {
        Flush();
        lock (_gate)
        {
            while (_pending.Count > 0 && _failure is null)
                Monitor.Wait(_gate);
        }

        ThrowIfFailed();
    }

    /// <summary>The refusals of parts since the last call.</summary>
    public int TakePartRefusals() => Interlocked.Exchange(ref _partRefusals, 0);

    /// <exception cref="ToolException">The server is lost, or has no memory left.</exception>
    public void ThrowIfFailed()
    {
        lock (_gate)
        {
            if (_failure is not null)
                throw new ToolException(_failure.Message, _failure.Code);
        }
    }

    // On the thread of the timer: the one that sends may wait for the source for long.
    private void KeepAlive()
    {
        try
        {
            lock (_gate)
            {
                if (_isClosed || _failure is not null || _pending.Count > 0)
                    return;
                _pending.Enqueue(new Pending(PendingKind.Quiet, "PING", NoDatabase, [], 0));
                Monitor.PulseAll(_gate);
                _connection.SendRaw("*1\r\n$4\r\nPING\r\n"u8);
            }
        }
        catch (ToolException failure)
        {
            Fail(Lost(failure));
        }
    }

    // Before its bytes are added: of what waits here nothing may wait for itself.
    private void Admit(in Pending request)
    {
        bool isFull;
        lock (_gate)
            isFull = IsFullFor(request.Bytes);
        if (isFull)
            Flush();
        lock (_gate)
        {
            while (IsFullFor(request.Bytes) && _failure is null)
                Monitor.Wait(_gate);
            if (_failure is null)
            {
                _pending.Enqueue(request);
                _pendingBytes += request.Bytes;
                Monitor.PulseAll(_gate);
            }
        }

        ThrowIfFailed();
    }

    // One request always fits, however long.
    private bool IsFullFor(int bytes) =>
        _pending.Count >= InFlightMax || (_pending.Count > 0 && _pendingBytes + bytes > InFlightBytesMax);

    private Reply TakeReply()
    {
        lock (_gate)
            return _reply ?? throw new InvalidOperationException("Nothing was called.");
    }

    private void TakeReplies()
    {
        try
        {
            while (TryWait(out var pending))
            {
                var reply = Receive();
                Judge(pending, reply);
                Finish(pending);
            }
        }
        catch (ToolException failure)
        {
            Fail(failure);
        }
        catch (ObjectDisposedException)
        {
            Fail(new ToolException("The connection to the target was closed."));
        }
    }

    private Reply Receive()
    {
        try
        {
            return _connection.Receive();
        }
        catch (ToolException failure)
        {
            throw Lost(failure);
        }
    }

    private static ToolException Lost(ToolException failure) => new(
        $"The target is lost: {failure.Message} Run this again with --replace or --flush: of what was on the way "
        + "some may be done.");

    private bool TryWait(out Pending pending)
    {
        lock (_gate)
        {
            while (_pending.Count == 0 && !_isClosed)
                Monitor.Wait(_gate);
            return _pending.TryPeek(out pending);
        }
    }

    private void Finish(in Pending pending)
    {
        lock (_gate)
        {
            _ = _pending.TryDequeue(out _); // None, if it was closed meanwhile.
            _pendingBytes -= pending.Bytes;
            if (pending.Offset != 0)
                _applied = pending.Offset;
            if (_pending.Count == 0)
                _applied = Math.Max(_applied, _passed);
            Monitor.PulseAll(_gate);
        }
    }

    private void Fail(ToolException failure)
    {
        lock (_gate)
        {
            if (_failure is not null || _isClosed)
                return;
            _failure = failure;
            Monitor.PulseAll(_gate);
        }

        OnFailure?.Invoke();
    }

    private void Close()
    {
        lock (_gate)
        {
            _isClosed = true;
            _pending.Clear();
            Monitor.PulseAll(_gate);
        }
    }

    private void Judge(in Pending pending, Reply reply)
    {
        string? refusal = RefusalOf(reply);
        if (refusal is not null && refusal.StartsWith(OutOfMemory, StringComparison.Ordinal))
        {
            throw new ToolException(
                $"The target has no memory left: {ImportCounts.TextOf(pending, refusal)} Give it more (maxmemory), and "
                + "run this again with --replace.");
        }

        switch (pending.Kind)
        {
            case PendingKind.Call:
                lock (_gate)
                    _reply = reply;
                break;
            case PendingKind.Part when refusal is not null:
                Interlocked.Increment(ref _partRefusals);
                _counts.NoteRefused(pending, refusal);
                break;
            case PendingKind.Entry:
                JudgeEntry(pending, refusal);
                break;
            case PendingKind.Command when refusal is null:
                _counts.NoteCommand(pending.Bytes);
                break;
            case PendingKind.Command when IsOfAnother(refusal):
                _counts.NoteLeft("commands for slots of other servers of the cluster");
                break;
            case PendingKind.Command:
                _counts.NoteRefused(pending, refusal!);
                break;
        }
    }

    /// <summary>Counts an entry by the reply to it.</summary>
    public void JudgeEntry(in Pending pending, string? refusal)
    {
        if (refusal is null)
            _counts.NoteTaken(pending.Name, pending.Bytes);
        else if (refusal.StartsWith("BUSYKEY", StringComparison.Ordinal))
            _counts.NoteLeft("that are there already; --replace takes them");
        else if (IsOfAnother(refusal))
            _counts.NoteLeft("of slots of other servers of the cluster");
        else
            _counts.NoteRefused(pending, refusal);
    }

    private static bool IsOfAnother(string? refusal) =>
        refusal is not null && refusal.StartsWith("MOVED ", StringComparison.Ordinal);

    // Of a transaction, that of the first command that was refused.
    private static string? RefusalOf(Reply reply) => reply.Kind switch
    {
        ReplyKind.Error => reply.Text,
        ReplyKind.List => reply.Items.FirstOrDefault(static one => one.Kind == ReplyKind.Error)?.Text,
        _ => null,
    };
}
