using System.Buffers;
using System.Diagnostics;
using System.IO.Pipelines;

namespace Cache.Server.Transport.Linux;

/// <summary>
/// The bytes to the peer. A flush sends at once, on the caller's thread; only bytes that the socket refuses wait.
/// </summary>
/// <remarks>
/// Memory is rented with the first reply of a batch and returned when the batch is sent. Lent bytes are returned then
/// too; a flush waits for that, so that no client holds them while it continues. Concurrency: bytes written since the
/// last flush belong to the owner, without a lock; a flush hands them over under the connection's gate, which guards
/// all unsent bytes.
/// </remarks>
internal sealed class EpollOutput(EpollConnection connection) : LendingPipeWriter
{
    /// <summary>
    /// The bytes sent in one turn of the loop, enough for a value of a megabyte: a peer that receives as fast as this
    /// sends would otherwise delay the other connections.
    /// </summary>
    public const int TurnBytes = (1024 + 128) * 1024;

    /// <summary>The same if other connections have sent much in this round.</summary>
    public const int CrowdedTurnBytes = 32 * 1024;

    // The owner flushes at 64 KB; with the reply that exceeds them they still fit in one send.
    private const int SegmentBytes = 128 * 1024;

    // A flush waits while more than this is unsent, until half of it is: so a slow reader pauses its own input.
    private const int PauseBytes = 64 * 1024;
    private const int ResumeBytes = PauseBytes / 2;

    // Created for the first flush that waits; most peers receive their replies at once.
    private ReusableWait<FlushResult>? _wait;

    // The owner's: the pieces since the last flush, and the array that is being filled.
    private Queue<OutputPiece>? _filled;
    private long _filledBytes;
    private byte[] _array = [];
    private int _end;

    // Guarded by the gate: the pieces that the socket has not taken yet, and the sent bytes of the first.
    private Queue<OutputPiece>? _unsent;
    private long _unsentBytes;
    private long _unsentMemoryBytes;
    private int _unsentLentCount;
    private long _sentBytes;
    private int _turn;
    private int _turnBytes;
    private int _firstSent;
    private bool _waiting;
    private bool _cancelRequested;
    private bool _broken;
    private TaskCompletionSource? _drained;

    public override bool CanGetUnflushedBytes => true;

    public override long UnflushedBytes => _filledBytes + _end;

    /// <summary>The memory of the bytes that the socket has not taken yet. Any thread.</summary>
    public long UnsentMemoryBytes => Volatile.Read(ref _unsentMemoryBytes);

    /// <summary>The bytes that the socket has taken. Any thread.</summary>
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

    public override void Write(LentBytes bytes)
    {
        Push();
        Push(new OutputPiece(bytes));
    }

    public override ValueTask<FlushResult> FlushAsync(CancellationToken cancellationToken = default)
    {
        cancellationToken.ThrowIfCancellationRequested();
        lock (connection.Gate)
        {
            HandOver();
            bool canceled = _cancelRequested;
            _cancelRequested = false;
            if (canceled || !IsOver(PauseBytes))
                return ValueTask.FromResult(new FlushResult(canceled, isCompleted: _broken));
            _waiting = true;
            _wait ??= new ReusableWait<FlushResult>();
            return _wait.Begin();
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

        _wait!.End(result, onThisThread: true);
    }

    public override void Complete(Exception? exception = null)
    {
        lock (connection.Gate)
            HandOver();
    }

    /// <summary>Ends when everything is sent, or nothing more can be.</summary>
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

    /// <summary>Continues to send. The loop's thread.</summary>
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

            if (!_waiting || IsOver(ResumeBytes))
                return;
            _waiting = false;
            result = new FlushResult(isCanceled: false, isCompleted: _broken);
        }

        _wait!.End(result, onThisThread: true);
    }

    /// <summary>Ends the output: nothing can be sent any more.</summary>
    public void OnBroken()
    {
        lock (connection.Gate)
        {
            BreakOff();
            _drained?.TrySetResult();
            if (!_waiting)
                return;
            _waiting = false;

            // As for reads: no flush waits after this one, and the owner must not run here.
            _wait!.End(new FlushResult(isCanceled: false, isCompleted: true), onThisThread: false);
        }
    }

    private bool IsOver(int bytes) => !_broken && (_unsentBytes > bytes || _unsentLentCount > 0);

    private void MakeRoom(int bytes)
    {
        Push();
        _array = ArrayPool<byte>.Shared.Rent(Math.Max(bytes, SegmentBytes));
    }

    private void Push()
    {
        if (_end > 0)
            Push(new OutputPiece(_array, _end));
        else if (_array.Length > 0)
            ArrayPool<byte>.Shared.Return(_array);
        _array = [];
        _end = 0;
    }

    private void Push(OutputPiece piece)
    {
        (_filled ??= new Queue<OutputPiece>()).Enqueue(piece);
        _filledBytes += piece.Count;
    }

    /// <summary>Sends as much as the socket takes. The gate is held.</summary>
    private void HandOver()
    {
        while (_filled?.Count > 0)
        {
            var piece = _filled.Dequeue();
            HandOver(piece, isLast: _filled.Count == 0 && _end == 0);
        }

        _filledBytes = 0;
        if (_array.Length > 0)
            HandOver(new OutputPiece(_array, _end), isLast: true);
        _array = [];
        _end = 0;
    }

    private void HandOver(OutputPiece piece, bool isLast)
    {
        int sent = 0;
        while (_unsentBytes == 0 && sent < piece.Count && !_broken)
        {
            int count = SendOnce(piece.Span[sent..], isLast);
            if (count == 0)
                break;
            sent += count;
        }

        if (sent == piece.Count || _broken)
        {
            piece.Free();
            return;
        }

        // Only the first piece may be sent in part.
        Debug.Assert(sent == 0 || _unsentBytes == 0);
        if (_unsentBytes == 0)
            _firstSent = sent;
        _unsentBytes += piece.Count - sent;
        Volatile.Write(ref _unsentMemoryBytes, _unsentMemoryBytes + piece.MemoryBytes);
        _unsentLentCount += piece.IsLent ? 1 : 0;
        (_unsent ??= new Queue<OutputPiece>()).Enqueue(piece);
    }

    private void SendUnsent()
    {
        while (_unsentBytes > 0 && !_broken)
        {
            var piece = _unsent!.Peek();
            int sent = SendOnce(piece.Span[_firstSent..], isLast: _unsent.Count == 1);
            if (sent == 0)
                return;
            _unsentBytes -= sent;
            _firstSent += sent;
            if (_firstSent == piece.Count)
                FreeFirst();
        }
    }

    private void FreeFirst()
    {
        var piece = _unsent!.Dequeue();
        Volatile.Write(ref _unsentMemoryBytes, _unsentMemoryBytes - piece.MemoryBytes);
        _unsentLentCount -= piece.IsLent ? 1 : 0;
        _firstSent = 0;
        piece.Free();
    }

    /// <returns>
    /// The bytes that the socket took; 0 if it broke, or the send must wait for the socket or the next turn.
    /// </returns>
    private int SendOnce(ReadOnlySpan<byte> bytes, bool isLast)
    {
        Debug.Assert(!bytes.IsEmpty);
        int turn = connection.Loop.Turn;
        if (turn != _turn)
        {
            _turn = turn;
            _turnBytes = 0;
        }

        Debug.Assert(_turnBytes is >= 0 and <= TurnBytes);
        int bytesMax = connection.Loop.IsRoundFull ? CrowdedTurnBytes : TurnBytes;
        int count = Math.Min(bytes.Length, bytesMax - _turnBytes);
        if (count <= 0)
        {
            connection.ChangeInterest(add: LinuxCalls.EventOut, remove: 0);
            return 0;
        }

        nint sent = LinuxCalls.Send(
            connection.Descriptor,
            in bytes[0],
            count,
            LinuxCalls.DontWait | LinuxCalls.NoSignal | (isLast ? 0 : LinuxCalls.More));
        if (sent >= 0)
        {
            Volatile.Write(ref _sentBytes, _sentBytes + sent);
            _turnBytes += (int)sent;
            connection.Loop.NoteSent(sent);
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
            FreeFirst();
        _unsentBytes = 0;
    }
}
