using System.Buffers;
using System.Diagnostics;
using System.IO.Pipelines;
using System.Threading.Tasks.Sources;

namespace Cache.Server.Transport.Linux;

/// <summary>
/// The bytes to the peer. A flush sends at once, on the caller's thread; only what the socket refuses waits for it.
/// </summary>
/// <remarks>
/// Memory is rented with the first reply of a batch and returned when all of it is sent. Concurrency: what was written
/// since the last flush belongs to the owner, without a lock; a flush hands it over under the connection's gate, which
/// guards all that is unsent.
/// </remarks>
internal sealed class EpollOutput(EpollConnection connection) : PipeWriter, IValueTaskSource<FlushResult>
{
    // The owner flushes at 64 KB; with the reply that passes them they still leave in one send.
    private const int SegmentBytes = 128 * 1024;

    // A flush waits when more than this is unsent, and goes on when a half is: a slow reader pauses its own input.
    private const int PauseBytes = 64 * 1024;
    private const int ResumeBytes = PauseBytes / 2;

    private ManualResetValueTaskSourceCore<FlushResult> _source;

    // The owner's: arrays that were filled since the last flush, and the one that is being filled.
    private Queue<ArraySegment<byte>>? _filled;
    private long _filledBytes;
    private byte[] _array = [];
    private int _end;

    // Guarded by the gate: arrays that the socket did not take yet, of the first of which so much is sent.
    private Queue<ArraySegment<byte>>? _unsent;
    private long _unsentBytes;
    private long _sentBytes;
    private int _firstSent;
    private bool _waiting;
    private bool _cancelRequested;
    private bool _broken;
    private TaskCompletionSource? _drained;

    public override bool CanGetUnflushedBytes => true;

    public override long UnflushedBytes => _filledBytes + _end;

    /// <summary>Whether the socket has refused bytes so far. Any thread.</summary>
    public bool HasUnsent => Volatile.Read(ref _unsentBytes) > 0;

    /// <summary>How many bytes the socket has taken. Any thread.</summary>
    public long SentBytes => Volatile.Read(ref _sentBytes);

    public override void Advance(int bytes)
    {
        Debug.Assert(bytes >= 0 && bytes <= _array.Length - _end);
        _end += bytes;
    }

    public override Memory<byte> GetMemory(int sizeHint = 0)
    {
        if (_array.Length - _end < Math.Max(sizeHint, 1))
            MakeRoom(sizeHint);
        return _array.AsMemory(_end);
    }

    public override Span<byte> GetSpan(int sizeHint = 0) => GetMemory(sizeHint).Span;

    public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        lock (connection.Gate)
        {
            HandOver();
            bool canceled = _cancelRequested;
            _cancelRequested = false;
            if (canceled || _broken || _unsentBytes <= PauseBytes)
                return ValueTask.FromResult(new FlushResult(canceled, isCompleted: _broken));
            _waiting = true;
            _source.Reset();
            return new ValueTask<FlushResult>(this, _source.Version);
        }
    }

    public override void CancelPendingFlush()
    {
        FlushResult result;
        lock (connection.Gate)
        {
            if (!_waiting)
            {
                _cancelRequested = true;
                return;
            }

            _waiting = false;
            result = new FlushResult(isCanceled: true, isCompleted: _broken);
        }

        _source.SetResult(result);
    }

    public override void Complete(Exception? exception = null)
    {
        lock (connection.Gate)
            HandOver();
    }

    /// <summary>Done when everything is sent, or nothing can be.</summary>
    public Task WhenDrained()
    {
        lock (connection.Gate)
        {
            if (_broken || _unsentBytes == 0)
                return Task.CompletedTask;
            _drained ??= new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            return _drained.Task;
        }
    }

    /// <summary>Sends on. The loop's thread.</summary>
    public void OnWritable()
    {
        FlushResult result;
        lock (connection.Gate)
        {
            SendUnsent();
            if (_unsentBytes == 0)
            {
                connection.ChangeInterest(add: 0, remove: LinuxCalls.EventOut);
                _drained?.TrySetResult();
            }

            if (!_waiting || (!_broken && _unsentBytes > ResumeBytes))
                return;
            _waiting = false;
            result = new FlushResult(isCanceled: false, isCompleted: _broken);
        }

        _source.SetResult(result);
    }

    /// <summary>Nothing can be sent any more.</summary>
    public void OnBroken()
    {
        lock (connection.Gate)
        {
            BreakOff();
            _drained?.TrySetResult();
            if (!_waiting)
                return;
            _waiting = false;

            // As for a broken read: no flush waits after this one, and the owner does not run here.
            _source.RunContinuationsAsynchronously = true;
            _source.SetResult(new FlushResult(isCanceled: false, isCompleted: true));
        }
    }

    FlushResult IValueTaskSource<FlushResult>.GetResult(short token) => _source.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource<FlushResult>.GetStatus(short token) => _source.GetStatus(token);

    void IValueTaskSource<FlushResult>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _source.OnCompleted(continuation, state, token, flags);

    private void MakeRoom(int bytes)
    {
        if (_end > 0)
        {
            (_filled ??= new Queue<ArraySegment<byte>>()).Enqueue(new ArraySegment<byte>(_array, 0, _end));
            _filledBytes += _end;
            _end = 0;
        }
        else if (_array.Length > 0)
        {
            ArrayPool<byte>.Shared.Return(_array);
        }

        _array = ArrayPool<byte>.Shared.Rent(Math.Max(bytes, SegmentBytes));
    }

    /// <summary>Sends what was written, as far as the socket takes it. The gate is held.</summary>
    private void HandOver()
    {
        while (_filled?.Count > 0)
            HandOver(_filled.Dequeue());
        _filledBytes = 0;
        if (_array.Length > 0)
            HandOver(new ArraySegment<byte>(_array, 0, _end));
        _array = [];
        _end = 0;
    }

    private void HandOver(ArraySegment<byte> segment)
    {
        int sent = 0;
        while (_unsentBytes == 0 && sent < segment.Count && !_broken)
        {
            int count = SendOnce(segment[sent..]);
            if (count == 0)
                break;
            sent += count;
        }

        if (sent == segment.Count || _broken)
        {
            ArrayPool<byte>.Shared.Return(segment.Array!);
            return;
        }

        // Something of it was sent only if nothing is before it.
        Debug.Assert(sent == 0 || _unsentBytes == 0);
        if (_unsentBytes == 0)
            _firstSent = sent;
        _unsentBytes += segment.Count - sent;
        (_unsent ??= new Queue<ArraySegment<byte>>()).Enqueue(segment);
    }

    private void SendUnsent()
    {
        while (_unsentBytes > 0 && !_broken)
        {
            var segment = _unsent!.Peek();
            int sent = SendOnce(segment[_firstSent..]);
            if (sent == 0)
                return;
            _unsentBytes -= sent;
            _firstSent += sent;
            if (_firstSent < segment.Count)
                continue;
            ArrayPool<byte>.Shared.Return(_unsent.Dequeue().Array!);
            _firstSent = 0;
        }
    }

    /// <returns>How many bytes the socket took; 0 when it is to be waited for, or broke.</returns>
    private int SendOnce(ArraySegment<byte> bytes)
    {
        Debug.Assert(bytes.Count > 0);
        nint sent = LinuxCalls.Send(
            connection.Descriptor,
            ref bytes.Array![bytes.Offset],
            bytes.Count,
            LinuxCalls.DontWait | LinuxCalls.NoSignal);
        if (sent >= 0)
        {
            Volatile.Write(ref _sentBytes, _sentBytes + sent);
            return (int)sent;
        }

        int error = LinuxCalls.LastError;
        if (error is LinuxCalls.ErrorAgain or LinuxCalls.ErrorInterrupted)
            connection.ChangeInterest(add: LinuxCalls.EventOut, remove: 0);
        else
            BreakOff();
        return 0;
    }

    private void BreakOff()
    {
        _broken = true;
        while (_unsent?.Count > 0)
            ArrayPool<byte>.Shared.Return(_unsent.Dequeue().Array!);
        _unsentBytes = 0;
        _firstSent = 0;
    }
}
