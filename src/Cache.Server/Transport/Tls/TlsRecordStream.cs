using System.Buffers;
using System.Diagnostics;
using System.IO.Pipelines;
using System.Runtime.CompilerServices;

namespace Cache.Server.Transport.Tls;

/// <summary>
/// The pipes of a connection as the stream from which and to which an SslStream reads and writes records.
/// </summary>
/// <remarks>
/// Reading returns only complete records: an incomplete one stays in the input, so that the TLS stream never waits in
/// the middle of one and holds no buffer while it waits. Writing only copies into the output; the writer flushes it.
/// Before the end of the handshake, reads continue on the thread pool.
/// Concurrency: one read and one write at a time.
/// </remarks>
internal sealed class TlsRecordStream(PipeReader input, PipeWriter output, TimeProvider timeProvider) : Stream
{
    // A record's header: type, version (2), length (2).
    private const int HeaderBytes = 5;
    private const byte TypeMin = 20;
    private const byte TypeMax = 24;

    // What a record of TLS 1.2 may have beyond its 16 KB of text; 1.3 allows less.
    private const int RecordBytesMax = 16 * 1024 + 2048;

    // The bytes that were read but not handed on yet: complete records, or the rest at the end.
    private ReadOnlySequence<byte> _records;
    private bool _ended;
    private bool _isOpen;

    // When the last bytes of an incomplete record arrived; 0 if there is none; read by any thread.
    private long _partialAt;

    public override bool CanRead => true;

    public override bool CanWrite => true;

    public override bool CanSeek => false;

    public override long Length => throw new NotSupportedException();

    public override long Position
    {
        get => throw new NotSupportedException();
        set => throw new NotSupportedException();
    }

    /// <summary>
    /// How long an incomplete record has got no more bytes; zero if there is none. Any thread.
    /// </summary>
    public TimeSpan PartialAge =>
        Volatile.Read(ref _partialAt) is var at and not 0 ? timeProvider.GetElapsedTime(at) : TimeSpan.Zero;

    /// <summary>
    /// Whether all that was received is handed on, but for an incomplete record: then none of the input's memory is
    /// held here.
    /// </summary>
    public bool IsDrained => _records.IsEmpty;

    /// <summary>Whether the peer's first bytes are not a TLS record.</summary>
    public bool IsOfOtherProtocol { get; private set; }

    /// <summary>The next receive may take more than usual.</summary>
    public void ExpectLong()
    {
        if (input is FillingPipeReader filling)
            filling.ExpectLong();
    }

    /// <summary>From now on reads continue on the thread that receives the bytes.</summary>
    public void EndHandshake() => _isOpen = true;

    /// <summary>Ends a wait for records as at the end of the stream.</summary>
    public void CancelPendingRead() => input.CancelPendingRead();

    /// <summary>Waits until a read returns bytes, or the end, at once.</summary>
    /// <returns>False if the wait was canceled.</returns>
    public ValueTask<bool> WaitAsync(CancellationToken cancellationToken)
    {
        while (_records.IsEmpty && !_ended)
        {
            var reading = input.ReadAsync(cancellationToken);
            if (!reading.IsCompletedSuccessfully)
                return WaitSlowAsync(reading, cancellationToken);
            if (!Accept(reading.Result))
                return ValueTask.FromResult(false);
        }

        return ValueTask.FromResult(true);
    }

    public override ValueTask<int> ReadAsync(Memory<byte> buffer, CancellationToken cancellationToken = default) =>
        _records.IsEmpty && !_ended
            ? ReadSlowAsync(buffer, cancellationToken)
            : ValueTask.FromResult(Take(buffer.Span));

    public override Task<int> ReadAsync(
        byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        ReadAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override ValueTask WriteAsync(ReadOnlyMemory<byte> buffer, CancellationToken cancellationToken = default)
    {
        output.Write(buffer.Span);
        return ValueTask.CompletedTask;
    }

    public override Task WriteAsync(byte[] buffer, int offset, int count, CancellationToken cancellationToken) =>
        WriteAsync(buffer.AsMemory(offset, count), cancellationToken).AsTask();

    public override async Task FlushAsync(CancellationToken cancellationToken) =>
        await output.FlushAsync(cancellationToken).ConfigureAwait(false);

    public override int Read(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override void Write(byte[] buffer, int offset, int count) => throw new NotSupportedException();

    public override void Flush() => throw new NotSupportedException();

    public override long Seek(long offset, SeekOrigin origin) => throw new NotSupportedException();

    public override void SetLength(long value) => throw new NotSupportedException();

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<bool> WaitSlowAsync(ValueTask<ReadResult> reading, CancellationToken cancellationToken)
    {
        while (true)
        {
            bool isCanceled = !Accept(await reading.ConfigureAwait(false));
            if (isCanceled || !_records.IsEmpty || _ended)
                return !isCanceled;
            reading = input.ReadAsync(cancellationToken);
        }
    }

    // Records without text, or those of a handshake: the TLS stream waits by itself.
    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    private async ValueTask<int> ReadSlowAsync(Memory<byte> buffer, CancellationToken cancellationToken)
    {
        _ended |= !await WaitAsync(cancellationToken).ConfigureAwait(false);
        if (!_isOpen)
            await Task.CompletedTask.ConfigureAwait(ConfigureAwaitOptions.ForceYielding);
        return Take(buffer.Span);
    }

    /// <returns>False if the read was canceled.</returns>
    private bool Accept(in ReadResult read)
    {
        Debug.Assert(_records.IsEmpty);
        var received = read.Buffer;
        long length = read.IsCompleted ? received.Length : MeasureRecords(received);
        bool isPartial = length == 0 && !received.IsEmpty;
        if (isPartial || _partialAt != 0)
            Volatile.Write(ref _partialAt, isPartial ? Math.Max(timeProvider.GetTimestamp(), 1) : 0);
        if (length == 0)
        {
            input.AdvanceTo(received.Start, received.End);
            _ended = read.IsCompleted;
        }
        else
        {
            _records = received.Slice(0, length);
        }

        return !read.IsCanceled;
    }

    private int Take(Span<byte> buffer)
    {
        int length = (int)Math.Min(buffer.Length, _records.Length);
        if (length == 0)
            return 0;
        _records.Slice(0, length).CopyTo(buffer);
        _records = _records.Slice(length);
        if (_records.IsEmpty)
        {
            input.AdvanceTo(_records.End);
            _records = default;
        }

        return length;
    }

    // The length of the complete records.
    private long MeasureRecords(in ReadOnlySequence<byte> received)
    {
        Span<byte> header = stackalloc byte[HeaderBytes];
        long length = 0;
        while (length < received.Length)
        {
            var rest = received.Slice(length);
            int count = (int)Math.Min(HeaderBytes, rest.Length);
            rest.Slice(0, count).CopyTo(header);
            if (header[0] is < TypeMin or > TypeMax)
                return RefuseRecord(received);
            if (count < HeaderBytes)
                break;
            int bytes = HeaderBytes + ((header[3] << 8) | header[4]);
            if (bytes > HeaderBytes + RecordBytesMax)
                return RefuseRecord(received);
            if (bytes > rest.Length)
                break;
            length += bytes;
        }

        return length;
    }

    // The TLS handshake reports wrong first bytes itself, with an alert.
    private long RefuseRecord(in ReadOnlySequence<byte> received)
    {
        if (_isOpen)
            throw new IOException("What the peer sent is no record of TLS.");
        IsOfOtherProtocol = true;
        return received.Length;
    }
}
