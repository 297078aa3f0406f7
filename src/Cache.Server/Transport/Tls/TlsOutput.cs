using System.Buffers;
using System.Diagnostics;
using System.IO.Pipelines;
using System.Net.Security;

namespace Cache.Server.Transport.Tls;

/// <summary>
/// The plain bytes to the peer: a flush encrypts them into records, which one flush of the transport sends.
/// </summary>
/// <remarks>
/// Memory is rented with the first reply of a batch and returned after its encryption. A large reply is encrypted piece
/// by piece, each waiting until the peer has received enough of the previous ones, so that it is not in memory twice;
/// lent bytes are read in place, and returned once the last of them is encrypted.
/// Concurrency: used only by the owner.
/// </remarks>
internal sealed class TlsOutput(SslStream ssl, PipeWriter records) : LendingPipeWriter
{
    // The owner flushes at 64 KB; with the reply that exceeds them it is still one array.
    private const int SegmentBytes = 128 * 1024;

    // The bytes encrypted before waiting for the transport: its own bound.
    private const int PieceBytes = 64 * 1024;

    private readonly Queue<OutputPiece> _filled = new(0);
    private long _filledBytes;
    private byte[] _array = [];
    private int _end;

    /// <summary>Whether the handshake has ended: before it nothing can be sent.</summary>
    public bool IsOpen { get; private set; }

    public override bool CanGetUnflushedBytes => true;

    public override long UnflushedBytes => _filledBytes + _end;

    public void Open() => IsOpen = true;

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
        if (_filled.Count > 0 || _end > PieceBytes)
            return FlushPiecesAsync(cancellationToken);
        bool isBroken = !TryEncrypt(_array.AsMemory(0, _end));
        Clear();
        return isBroken
            ? ValueTask.FromResult(new FlushResult(isCanceled: false, isCompleted: true))
            : records.FlushAsync(cancellationToken);
    }

    public override void CancelPendingFlush() => records.CancelPendingFlush();

    public override void Complete(Exception? exception = null)
    {
        // Bytes are left only if the connection broke: they will not be read.
        if (_filled.Count == 0)
            TryEncrypt(_array.AsMemory(0, _end));
        Clear();
    }

    private async ValueTask<FlushResult> FlushPiecesAsync(CancellationToken cancellationToken)
    {
        var result = default(FlushResult);
        Push();
        while (_filled.Count > 0 && !result.IsCompleted)
        {
            var piece = _filled.Peek();
            var bytes = piece.Memory;
            for (int done = 0; done < piece.Count && !result.IsCompleted; done += PieceBytes)
            {
                if (!TryEncrypt(bytes.Slice(done, Math.Min(PieceBytes, piece.Count - done))))
                    result = new FlushResult(isCanceled: false, isCompleted: true);
                else
                    result = await records.FlushAsync(cancellationToken).ConfigureAwait(false);
            }

            _filled.Dequeue().Free();
            _filledBytes -= piece.Count;
        }

        Clear();
        return result;
    }

    // The stream below only copies, so the write has ended when it returns.
    private bool TryEncrypt(ReadOnlyMemory<byte> bytes)
    {
        if (!IsOpen)
            return false;
        if (bytes.IsEmpty)
            return true;
        try
        {
            var writing = ssl.WriteAsync(bytes, CancellationToken.None);
            Debug.Assert(writing.IsCompleted);
            writing.GetAwaiter().GetResult();
            return true;
        }
#pragma warning disable CA1031 // No flush fails: after an error of the session nothing more can be sent.
        catch (Exception)
#pragma warning restore CA1031
        {
            IsOpen = false;
            return false;
        }
    }

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
        _filled.Enqueue(piece);
        _filledBytes += piece.Count;
    }

    private void Clear()
    {
        while (_filled.Count > 0)
            _filled.Dequeue().Free();
        _filledBytes = 0;
        if (_array.Length > 0)
            ArrayPool<byte>.Shared.Return(_array);
        _array = [];
        _end = 0;
    }
}
