using System.Buffers;
using System.IO.Pipelines;
using System.Text;

namespace Cache.Testing;

/// <summary>The client's end of an in-memory connection.</summary>
/// <remarks>
/// Used by one thread at a time. Nothing here waits, except <see cref="ReadAsync"/>: when
/// <see cref="Send(ReadOnlySpan{byte})"/> returns, the server has answered what it can answer, so what
/// <see cref="ReadAll"/> returns is all that it says. In texts, a char is a byte.
/// </remarks>
internal sealed class InMemoryClient
{
    private readonly InMemoryConnection _connection;
    private readonly PipeWriter _output;
    private readonly PipeReader _input;
    private ValueTask<FlushResult> _flush;

    internal InMemoryClient(InMemoryConnection connection, PipeWriter output, PipeReader input)
    {
        _connection = connection;
        _output = output;
        _input = input;
    }

    /// <summary>The server's end.</summary>
    public InMemoryConnection Connection => _connection;

    /// <summary>Whether the server lets the last bytes lie, as it does while its replies are not taken.</summary>
    public bool IsPaused => !_flush.IsCompleted;

    /// <summary>Whether the server has closed the connection; asked after <see cref="ReadAll"/>.</summary>
    public bool IsClosed { get; private set; }

    /// <summary>How often the server has sent.</summary>
    public int ServerFlushCount => _connection.CountedOutput.FlushCount;

    /// <summary>Sends bytes as one arrival; to a server that has closed, they are lost.</summary>
    /// <exception cref="InvalidOperationException">The server still holds back what was sent before.</exception>
    public void Send(ReadOnlySpan<byte> bytes)
    {
        if (IsPaused)
            throw new InvalidOperationException("The server has not taken what was sent before.");
        _ = _flush.IsCompletedSuccessfully ? _flush.Result : default;
        _flush = default;
        if (!_connection.IsReceiving)
            return;
        try
        {
            _output.Write(bytes);
            _flush = _output.FlushAsync(CancellationToken.None);
        }
        catch (InvalidOperationException) when (!_connection.IsReceiving)
        {
            // The server has closed meanwhile, on a thread of its own.
        }
    }

    /// <summary>Sends text as one arrival.</summary>
    public void Send(string text) => Send(Encoding.Latin1.GetBytes(text));

    /// <summary>Everything that the server has sent and that was not read yet.</summary>
    public byte[] ReadAll()
    {
        var bytes = new ArrayBufferWriter<byte>();
        while (!_connection.IsAborted && _input.TryRead(out var read))
        {
            foreach (var memory in read.Buffer)
                bytes.Write(memory.Span);
            _connection.TakenBytes += read.Buffer.Length;
            _input.AdvanceTo(read.Buffer.End);
            if (!read.IsCompleted)
                continue;
            IsClosed = true;
            break;
        }

        IsClosed |= _connection.IsAborted;
        return bytes.WrittenSpan.ToArray();
    }

    /// <summary>A part of what the server has sent and that was not read yet, so that it can say more.</summary>
    /// <returns>Nothing if there is nothing now.</returns>
    public byte[] ReadSome()
    {
        if (_connection.IsAborted || !_input.TryRead(out var read))
        {
            IsClosed |= _connection.IsAborted;
            return [];
        }

        byte[] bytes = read.Buffer.ToArray();
        _connection.TakenBytes += bytes.Length;
        IsClosed |= read.IsCompleted;
        _input.AdvanceTo(read.Buffer.End);
        return bytes;
    }

    /// <summary>Drops everything that the server has sent, without allocating.</summary>
    /// <returns>How many bytes they were.</returns>
    public long SkipAll()
    {
        long count = 0;
        while (!_connection.IsAborted && _input.TryRead(out var read))
        {
            count += read.Buffer.Length;
            _connection.TakenBytes += read.Buffer.Length;
            _input.AdvanceTo(read.Buffer.End);
            if (read.IsCompleted)
                break;
        }

        return count;
    }

    /// <summary>Waits for so many bytes, for servers that answer on threads of their own.</summary>
    /// <exception cref="EndOfStreamException">The server has closed before.</exception>
    /// <exception cref="TimeoutException">They did not come within two minutes.</exception>
    public async ValueTask<byte[]> ReadAsync(int count, CancellationToken cancellationToken)
    {
        var read = await _input.ReadAtLeastAsync(count, cancellationToken).AsTask()
            .WaitAsync(Polling.Patience, cancellationToken);
        if (read.Buffer.Length < count)
            throw new EndOfStreamException($"The server closed after {read.Buffer.Length} of {count} bytes.");
        byte[] bytes = read.Buffer.Slice(0, count).ToArray();
        _connection.TakenBytes += count;
        _input.AdvanceTo(read.Buffer.GetPosition(count));
        return bytes;
    }

    /// <summary>Sends text and returns all that the server answers.</summary>
    public string Exchange(string text)
    {
        Send(text);
        return Encoding.Latin1.GetString(ReadAll());
    }

    /// <summary>Sends nothing more; replies can still be read.</summary>
    public void Close()
    {
        _connection.HasClientClosed = true;
        if (_connection.IsReceiving)
            _output.Complete();
    }

    /// <summary>Goes away, as a process that dies.</summary>
    public void Vanish()
    {
        Close();
        _input.Complete();
    }
}
