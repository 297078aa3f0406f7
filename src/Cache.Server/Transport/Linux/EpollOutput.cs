using System.Buffers;
using System.Diagnostics;
using System.IO.Pipelines;
using System.Threading.Tasks.Sources;

namespace Cache.Server.Transport.Linux;

/// <summary>
/// The bytes to the peer. A flush sends at once, on the caller's thread; only what the socket refuses waits for it.
/// </summary>
/// <remarks>
/// Memory is rented with the first reply of a batch and returned when all of it is sent. When an array is full and
/// nothing waits, it is sent before another is rented, so that a large batch does not pile up. Concurrency: guarded by
/// the connection's gate; the stretch that the owner writes into lies behind what the loop may send.
/// </remarks>
internal sealed class EpollOutput(EpollConnection connection) : PipeWriter, IValueTaskSource<FlushResult>
{
    private const int SegmentBytes = 64 * 1024;

    // A flush waits when more than this is unsent, and goes on when a half is: a slow reader pauses its own input.
    private const int PauseBytes = 64 * 1024;
    private const int ResumeBytes = PauseBytes / 2;

    private ManualResetValueTaskSourceCore<FlushResult> _source;

    // Arrays that are full, of the first of which so much is sent; and the one that is being filled, whose unsent bytes
    // are those from _start to _end.
    private Queue<ArraySegment<byte>>? _full;
    private int _firstSent;
    private byte[] _array = [];
    private int _start;
    private int _end;
    private long _unsentFull;

    // The owner's alone.
    private long _unflushed;

    private bool _lent;
    private bool _waiting;
    private bool _cancelRequested;
    private bool _broken;
    private TaskCompletionSource? _drained;

    public override bool CanGetUnflushedBytes => true;

    // As a pipe counts: what was written since the last flush, whether or not it is sent already.
    public override long UnflushedBytes => _unflushed;

    private long Unsent => _unsentFull + _end - _start;

    public override void Advance(int bytes)
    {
        lock (connection.Gate)
        {
            Debug.Assert(bytes >= 0 && bytes <= _array.Length - _end);
            _end += bytes;
        }

        _unflushed += bytes;
    }

    public override Memory<byte> GetMemory(int sizeHint = 0)
    {
        int bytes = Math.Max(sizeHint, 1);
        lock (connection.Gate)
        {
            if (_array.Length - _end < bytes)
                MakeRoom(bytes);
            _lent = true;
            return _array.AsMemory(_end);
        }
    }

    public override Span<byte> GetSpan(int sizeHint = 0) => GetMemory(sizeHint).Span;

    public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        _unflushed = 0;
        lock (connection.Gate)
        {
            _lent = false;
            Send();
            bool canceled = _cancelRequested;
            _cancelRequested = false;
            if (canceled || _broken || Unsent <= PauseBytes)
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
        {
            _lent = false;
            Send();
        }
    }

    /// <summary>Done when everything is sent, or nothing can be.</summary>
    public Task WhenDrained()
    {
        lock (connection.Gate)
        {
            if (_broken || Unsent == 0)
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
            Send();
            if (Unsent == 0)
            {
                connection.ChangeInterest(add: 0, remove: LinuxCalls.EventOut);
                _drained?.TrySetResult();
            }

            if (!_waiting || (!_broken && Unsent > ResumeBytes))
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
            _broken = true;
            Discard();
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
        _lent = false;
        Send();
        if (_array.Length - _end >= bytes)
            return;
        if (_end > _start)
        {
            (_full ??= new Queue<ArraySegment<byte>>()).Enqueue(new ArraySegment<byte>(_array, _start, _end - _start));
            _unsentFull += _end - _start;
            _array = [];
        }

        Release();
        _array = ArrayPool<byte>.Shared.Rent(Math.Max(bytes, SegmentBytes));
    }

    /// <summary>Sends as much as the socket takes. The gate is held.</summary>
    private void Send()
    {
        if (_broken)
        {
            Discard();
            return;
        }

        while (_unsentFull > 0)
        {
            var segment = _full!.Peek()[_firstSent..];
            int sent = SendOnce(segment.Array!, segment.Offset, segment.Count);
            if (sent == 0)
                return;
            _unsentFull -= sent;
            _firstSent += sent;
            if (sent < segment.Count)
                continue;
            ArrayPool<byte>.Shared.Return(_full.Dequeue().Array!);
            _firstSent = 0;
        }

        while (_end > _start)
        {
            int sent = SendOnce(_array, _start, _end - _start);
            if (sent == 0)
                return;
            _start += sent;
        }

        if (!_lent)
            Release();
    }

    private int SendOnce(byte[] array, int offset, int count)
    {
        nint sent = LinuxCalls.Send(
            connection.Descriptor, ref array[offset], count, LinuxCalls.DontWait | LinuxCalls.NoSignal);
        if (sent >= 0)
            return (int)sent;
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
        Discard();
    }

    private void Discard()
    {
        while (_full?.Count > 0)
            ArrayPool<byte>.Shared.Return(_full.Dequeue().Array!);
        _unsentFull = 0;
        _firstSent = 0;
        _start = _end;
        if (!_lent)
            Release();
    }

    private void Release()
    {
        if (_array.Length > 0)
            ArrayPool<byte>.Shared.Return(_array);
        _array = [];
        _start = _end = 0;
    }
}
