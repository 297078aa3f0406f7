using System.Buffers;
using System.ComponentModel;
using System.Diagnostics;
using System.IO.Pipelines;
using System.Threading.Tasks.Sources;

namespace Cache.Server.Transport.Linux;

/// <summary>The bytes from the peer. The socket is read only while the owner waits for more.</summary>
/// <remarks>
/// Bytes are received into the loop's own buffer, which the owner mostly returns, by advancing, before the loop
/// continues: an idle connection holds no memory. An owner that needs the buffer longer keeps it, and the loop takes
/// another. Bytes that were not consumed are kept in an array of the connection, which grows by doubling as bytes
/// arrive. A target is filled under the gate, while its owner waits. An owner that expects a long request is lent a
/// longer buffer, once. Concurrency: guarded by the connection's gate; between a read and <c>AdvanceTo</c>, and until
/// the next read, the array belongs to the owner. Exchanges of <see cref="_loan"/> decide who owns the loop's buffer.
/// An owner that is parked lets the loop receive ahead, up to a bound: a peer that has closed shows it behind all that
/// it has sent.
/// </remarks>
internal sealed class EpollInput(EpollConnection connection) : FillingPipeReader, IValueTaskSource<ReadResult>
{
    // One receive into memory of the connection's own.
    private const int ReceiveBytes = EpollLoop.ReceiveBytes;

    // One receive into a target. No request is executed for it, so a turn may take more than a usual one. With four
    // times as much PING beside a hundred clients that send megabytes waits three times as long.
    private const int FillBytes = 64 * 1024;

    /// <summary>The most bytes that are received ahead.</summary>
    public const int AheadBytesMax = 1 << 20;

    // The rest of a request is moved to an array of its size if it is no longer than this.
    private const int SmallBytesMax = 2 * 1024;

    // The top bit of a position in a sequence over an array says what kind of sequence it is.
    private const int IndexMask = int.MaxValue;

    // The array belongs to the connection; to the loop, lent until the owner advances; to the owner, who kept it.
    private const int NoLoan = 0;
    private const int Lent = 1;
    private const int Left = 2;

    private ManualResetValueTaskSourceCore<ReadResult> _source;
    private byte[] _array = [];
    private int _start;
    private int _end;
    private int _loan;
    private bool _examined = true;
    private bool _waiting;
    private bool _ended;
    private bool _stopping;
    private bool _cancelRequested;
    private bool _completed;
    private bool _isAhead;
    private Exception? _error;
    private TaskCompletionSource? _whenEnded;
    private FillTarget? _target;

    // Written by the owner between two reads.
    private bool _expectsLong;

    /// <summary>Whether the loop no longer reports that the socket is readable. Guarded by the gate.</summary>
    public bool IsUnwatched { get; set; }

    /// <summary>Whether the peer sends nothing more. Guarded by the gate.</summary>
    public bool HasPeerEnded => (_ended && !_stopping) || _error is not null;

    /// <summary>The memory for bytes that were received ahead.</summary>
    public long AheadMemoryBytes
    {
        get
        {
            lock (connection.Gate)
                return _isAhead ? _array.Length : 0;
        }
    }

    public override ValueTask<ReadResult> ReadAsync(CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        return Read(target: null);
    }

    public override ValueTask<ReadResult> ReadAsync(FillTarget target) => Read(target);

    public override void ExpectLong() => _expectsLong = true;

    private ValueTask<ReadResult> Read(FillTarget? target)
    {
        lock (connection.Gate)
        {
            if (TryTakeResult(out var result))
                return ValueTask.FromResult(result);
            if (_error is not null)
                return ValueTask.FromException<ReadResult>(_error);
            _waiting = true;
            _target = _start == _end ? target : null;
            _source.Reset();
            connection.ChangeInterest(add: LinuxCalls.EventIn, remove: 0);
            return new ValueTask<ReadResult>(this, _source.Version);
        }
    }

    public override bool TryRead(out ReadResult result)
    {
        lock (connection.Gate)
            return TryTakeResult(out result);
    }

    public override void AdvanceTo(SequencePosition consumed) => AdvanceTo(consumed, consumed);

    public override void AdvanceTo(SequencePosition consumed, SequencePosition examined)
    {
        Debug.Assert(!_waiting);
        int start = consumed.GetInteger() & IndexMask;
        Debug.Assert(start >= _start && start <= _end);
        _examined = (examined.GetInteger() & IndexMask) == _end;
        _start = start;
        Keep();
    }

    public override void CancelPendingRead()
    {
        ReadResult result;
        lock (connection.Gate)
        {
            if (!_waiting)
            {
                _cancelRequested = true;
                return;
            }

            EndWait();
            result = Result(isCanceled: true);
        }

        _source.SetResult(result);
    }

    public override void Complete(Exception? exception = null)
    {
        lock (connection.Gate)
        {
            _completed = true;
            if (!_waiting)
                Release();
        }
    }

    /// <summary>Reads no more than the socket holds now. Any thread.</summary>
    public void StopReceiving()
    {
        lock (connection.Gate)
        {
            if (_completed)
                return;
            _stopping = true;
            EndIfLast();
            if (!_waiting || !_ended)
                return;
            EndWait();

            // As when the connection breaks.
            _source.RunContinuationsAsynchronously = true;
            _source.SetResult(Result(isCanceled: false));
        }
    }

    /// <summary>As of <see cref="TransportConnection.ReceiveAhead"/>.</summary>
    public void ReceiveAhead(bool isOn)
    {
        lock (connection.Gate)
        {
            Debug.Assert(!_waiting && _loan == NoLoan);
            _isAhead = isOn;
            if (isOn && CanTakeAhead)
                connection.ChangeInterest(add: LinuxCalls.EventIn, remove: 0);
        }
    }

    /// <summary>Receives once and hands the bytes to the owner, if it waits. The loop's thread.</summary>
    public void OnReadable()
    {
        ReadResult result;
        Exception? error;
        LoopBuffer lent;
        lock (connection.Gate)
        {
            if (!_waiting)
            {
                if (_isAhead)
                    TakeAhead();
                else if (_whenEnded is null)
                    connection.ChangeInterest(add: 0, remove: LinuxCalls.EventIn);
                else
                    Discard();
                return;
            }

            if (!TryReceive(connection.Loop))
                return;
            EndIfLast();
            EndWait();
            error = _error;
            if (error is null)
                _examined = false;
            result = Result(isCanceled: false);
            lent = LoanOf(_array);
        }

        if (error is not null)
            _source.SetException(error);
        else
            _source.SetResult(result);

        // The owner returns the buffer with its exchange, or learns from it that the buffer is its own now; then the
        // loop takes another.
        // If that has got another thread meanwhile, it has another one already, and this loan may be of that thread.
        if (Volatile.Read(ref _loan) == Lent && connection.Loop.IsHere
            && Interlocked.CompareExchange(ref _loan, Left, Lent) == Lent)
        {
            lent.Leave();
        }
    }

    /// <summary>Discards further bytes. Ends when the peer has closed, or the connection broke.</summary>
    public Task WhenEnded()
    {
        lock (connection.Gate)
        {
            if ((_ended && !_stopping) || _error is not null)
                return Task.CompletedTask;

            // The end that the owner saw is not the peer's.
            _ended = _stopping = false;
            _whenEnded = new TaskCompletionSource(TaskCreationOptions.RunContinuationsAsynchronously);
            if (IsUnwatched)
                Discard();
            else
                connection.ChangeInterest(add: LinuxCalls.EventIn, remove: 0);
            return _whenEnded.Task;
        }
    }

    /// <summary>Ends the input although the socket has not reported an end.</summary>
    public void OnBroken(Exception error)
    {
        lock (connection.Gate)
        {
            _error ??= error;
            _whenEnded?.TrySetResult();
            if (!_waiting)
                return;
            EndWait();

            // No read waits after this one. The thread that ends a connection must not run its owner: it may be
            // executing another connection's command.
            _source.RunContinuationsAsynchronously = true;
            _source.SetException(error);
        }
    }

    ReadResult IValueTaskSource<ReadResult>.GetResult(short token) => _source.GetResult(token);

    ValueTaskSourceStatus IValueTaskSource<ReadResult>.GetStatus(short token) => _source.GetStatus(token);

    void IValueTaskSource<ReadResult>.OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) =>
        _source.OnCompleted(continuation, state, token, flags);

    private bool TryTakeResult(out ReadResult result)
    {
        Debug.Assert(!_waiting && !_completed);
        bool canceled = _cancelRequested;
        _cancelRequested = false;
        if (IsUnwatched && !canceled && _examined && !_ended && _error is null && TryReceive(loop: null))
            _examined = false;
        EndIfLast();
        bool any = canceled || (_end > _start && !_examined) || _ended;
        result = any ? Result(canceled) : default;
        return any;
    }

    private ReadResult Result(bool isCanceled) =>
        new(new ReadOnlySequence<byte>(_array, _start, _end - _start), isCanceled, isCompleted: _ended);

    /// <summary>Reads the socket once; true if that changed anything.</summary>
    /// <param name="loop">The loop, if this is its thread.</param>
    private bool TryReceive(EpollLoop? loop)
    {
        nint count = _target is null ? ReceiveHere(loop) : ReceiveInto(_target);
        if (count > 0)
            return true;

        int error = count < 0 ? LinuxCalls.LastError : 0;
        Keep();
        bool again = error is LinuxCalls.ErrorAgain or LinuxCalls.ErrorInterrupted;
        if (again && !IsUnwatched)
            return false;

        // After a hang-up no byte comes, and no event would report it.
        if (error == 0 || again)
            _ended = true;
        else
            _error = new IOException("The connection broke.", new Win32Exception(error));
        return true;
    }

    private bool CanTakeAhead => !_ended && _error is null && _end - _start < AheadBytesMax;

    // One receive per readiness, as for an owner that waits. The array is the connection's own.
    private void TakeAhead()
    {
        if (CanTakeAhead && TryReceive(loop: null))
            _examined = false;
        if (!CanTakeAhead)
            connection.ChangeInterest(add: 0, remove: LinuxCalls.EventIn);
    }

    private void EndWait()
    {
        Debug.Assert(_waiting);
        _waiting = false;
        _target = null;
    }

    private nint ReceiveHere(EpollLoop? loop)
    {
        if (loop is not null && (_expectsLong || _array.Length == 0))
            TakeLoan(_expectsLong ? loop.LongBuffer : loop.Buffer);
        else
            MakeRoom();
        _expectsLong = false;
        int countMax = _array.Length - _end;
        if (loop is { IsRoundFull: true })
            countMax = Math.Min(countMax, EpollLoop.CrowdedReceiveBytes);
        nint count = LinuxCalls.Receive(connection.Descriptor, ref _array[_end], countMax, LinuxCalls.DontWait);
        _end += (int)Math.Max(count, 0);
        return count;
    }

    // What was kept goes along: a receive into its array would be a short one.
    private void TakeLoan(LoopBuffer buffer)
    {
        Debug.Assert(_loan == NoLoan);
        byte[] lent = buffer.Current;
        int kept = _end - _start;
        if (kept >= lent.Length)
        {
            MakeRoom();
            return;
        }

        _array.AsSpan(_start, kept).CopyTo(lent);
        GiveBack();
        _array = lent;
        _loan = Lent;
        _start = 0;
        _end = kept;
    }

    private LoopBuffer LoanOf(byte[] array) =>
        array.Length > EpollLoop.ReceiveBytes ? connection.Loop.LongBuffer : connection.Loop.Buffer;

    private nint ReceiveInto(FillTarget target)
    {
        Debug.Assert(_waiting && _start == _end);
        var room = target.Room;
        nint count = LinuxCalls.Receive(
            connection.Descriptor, ref room[0], Math.Min(room.Length, FillBytes), LinuxCalls.DontWait);
        if (count > 0)
            target.Advance((int)count);
        return count;
    }

    // Once receiving stops, only the bytes that the socket holds are read.
    private void EndIfLast()
    {
        if (!_stopping || _ended || _error is not null)
            return;
        byte next = 0;
        _ended = LinuxCalls.Receive(connection.Descriptor, ref next, 1, LinuxCalls.DontWait | LinuxCalls.Peek) <= 0;
    }

    // Here too one receive per readiness, as long as the loop reports it.
    private void Discard()
    {
        Debug.Assert(_completed && !_waiting);
        while (TryReceive(loop: null))
        {
            _start = _end = 0;
            if (_ended || _error is not null)
            {
                connection.ChangeInterest(add: 0, remove: LinuxCalls.EventIn);
                _whenEnded!.TrySetResult();
                break;
            }

            if (!IsUnwatched)
                break;
        }

        Release();
    }

    private void MakeRoom()
    {
        if (_array.Length == 0)
        {
            _array = ArrayPool<byte>.Shared.Rent(ReceiveBytes);
            return;
        }

        if (_end < _array.Length)
            return;
        int kept = _end - _start;
        Debug.Assert(_loan != Lent);
        Move(kept <= _array.Length / 2 ? _array.Length : (int)Math.Min(2L * _array.Length, Array.MaxLength));
    }

    private void Keep()
    {
        int kept = _end - _start;
        if (kept == 0)
            Release();
        else if (_loan != NoLoan || (kept <= SmallBytesMax && _array.Length > 4 * SmallBytesMax))
            Move(kept <= ReceiveBytes ? 2 * kept : kept); // Of a long receive more is seldom to come.
    }

    private void Move(int bytes)
    {
        byte[] array = ArrayPool<byte>.Shared.Rent(bytes);
        int kept = _end - _start;
        _array.AsSpan(_start, kept).CopyTo(array);
        GiveBack();
        _array = array;
        _start = 0;
        _end = kept;
    }

    private void Release()
    {
        GiveBack();
        _array = [];
        _start = _end = 0;
    }

    private void GiveBack()
    {
        if (_loan == NoLoan)
        {
            if (_array.Length > 0)
                ArrayPool<byte>.Shared.Return(_array);
        }
        else if (Interlocked.Exchange(ref _loan, NoLoan) == Left)
        {
            LoanOf(_array).TakeBack(_array);
        }
    }
}
