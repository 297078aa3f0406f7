using System.Buffers;
using System.Net.Sockets;
using System.Runtime.InteropServices;
using System.Threading.Tasks.Sources;

namespace Cache.Server.Transport.Sockets;

/// <summary>Asynchronous operations on a socket, one at a time, awaited without allocating.</summary>
/// <remarks>
/// Algorithm: the event arguments are their own value task source and are reused for each operation.
/// Concurrency: the awaiting thread stores its continuation, the completing thread stores <see cref="Finished"/>, both
/// into <see cref="_continuation"/> by compare-exchange from null; the second one runs the continuation. It runs
/// on the thread that completed the operation.
/// </remarks>
internal sealed class SocketOperation()
    : SocketAsyncEventArgs(true), IValueTaskSource<SocketResult>
{
    // With more, the runtime would allocate the vector of a gathering send on the heap.
    private const int GatherMax = 8;

    private static readonly Action<object?> Finished = static _ => { };

    private readonly List<ArraySegment<byte>> _gather = new(GatherMax);
    private Action<object?>? _continuation;

    /// <summary>Receives at least one byte, or none at the end.</summary>
    public ValueTask<SocketResult> ReceiveAsync(Socket socket, Memory<byte> memory)
    {
        SetBuffer(memory);
        return socket.ReceiveAsync(this) ? new ValueTask<SocketResult>(this, 0) : new ValueTask<SocketResult>(Result());
    }

    /// <summary>Sends the bytes of one stretch of memory.</summary>
    public ValueTask<SocketResult> SendAsync(Socket socket, ReadOnlyMemory<byte> memory)
    {
        if (BufferList is not null)
            BufferList = null;
        SetBuffer(MemoryMarshal.AsMemory(memory));
        return socket.SendAsync(this) ? new ValueTask<SocketResult>(this, 0) : new ValueTask<SocketResult>(Result());
    }

    /// <summary>Sends the first few segments with one call; the result tells how many bytes they were.</summary>
    public ValueTask<SocketResult> SendAsync(Socket socket, in ReadOnlySequence<byte> segments)
    {
        _gather.Clear();
        foreach (var memory in segments)
        {
            if (_gather.Count == GatherMax)
                break;
            if (!MemoryMarshal.TryGetArray(memory, out var segment))
                ThrowNotArrays();
            _gather.Add(segment);
        }

        if (MemoryBuffer.Length > 0)
            SetBuffer(null, 0, 0);
        BufferList = _gather;
        return socket.SendAsync(this) ? new ValueTask<SocketResult>(this, 0) : new ValueTask<SocketResult>(Result());
    }

    /// <inheritdoc/>
    public SocketResult GetResult(short token)
    {
        _continuation = null;
        return Result();
    }

    /// <inheritdoc/>
    public ValueTaskSourceStatus GetStatus(short token) =>
        ReferenceEquals(Volatile.Read(ref _continuation), Finished)
            ? ValueTaskSourceStatus.Succeeded
            : ValueTaskSourceStatus.Pending;

    /// <inheritdoc/>
    public void OnCompleted(
        Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags)
    {
        UserToken = state;
        if (Interlocked.CompareExchange(ref _continuation, continuation, null) is null)
            return;

        // The operation completed first. Not run here: a chain of such completions would deepen the stack.
        UserToken = null;
        ThreadPool.UnsafeQueueUserWorkItem(continuation, state, preferLocal: true);
    }

    /// <inheritdoc/>
    protected override void OnCompleted(SocketAsyncEventArgs e)
    {
        var continuation = Volatile.Read(ref _continuation)
            ?? Interlocked.CompareExchange(ref _continuation, Finished, null);
        if (continuation is null)
            return;

        object? state = UserToken;
        UserToken = null;
        _continuation = Finished;
        continuation(state);
    }

    private SocketResult Result() => new(SocketError == SocketError.Success ? BytesTransferred : 0, SocketError);

    private static void ThrowNotArrays() =>
        throw new NotSupportedException("The output pipe's memory pool must be one of arrays.");
}
