using System.Buffers;
using System.IO.Pipelines;
using System.Net;
using System.Net.Sockets;

namespace Cache.Server.Transport.Sockets;

/// <summary>A connection over a connected stream socket, TCP or Unix domain.</summary>
/// <remarks>
/// Algorithm: two loops, one receives into the input pipe, one sends from the output pipe. All continuations run
/// inline, so that where the runtime completes socket operations inline, a request goes from the receive to the send of
/// its reply on one thread. A loop allocates nothing per operation.
/// Concurrency: each loop is the only user of its operation and of its end of its pipe; <see cref="Abort"/> touches
/// only the socket, <see cref="StopReceiving"/> asks it and cancels a read, both from any thread.
/// Closing: a socket that is closed with unread bytes resets the connection, and the reset can overtake the last reply
/// on the peer's side. Therefore the sending side is shut down first, and arriving bytes are discarded until the peer
/// has closed too, for a bounded time.
/// </remarks>
internal sealed partial class SocketConnection : TransportConnection
{
    // How long the peer may take to receive the last replies once the connection is being closed.
    private static readonly TimeSpan LastSendTime = TimeSpan.FromSeconds(5);

    // How long the peer may take to answer the end of the stream with its own; a client that has read its reply has
    // closed.
    private static readonly TimeSpan GoodbyeTime = TimeSpan.FromSeconds(1);

    private readonly Socket _socket;
    private readonly TimeProvider _timeProvider;
    private readonly Func<int, bool>? _hasPeerGone;
    private readonly Pipe _input = new(InputOptions);
    private readonly Pipe _output = new(OutputOptions);
    private Task _receiving = Task.CompletedTask;
    private Task _sending = Task.CompletedTask;

    /// <param name="socket">A connected socket; the connection owns it from now on.</param>
    /// <param name="timeProvider">Measures how long closing may take.</param>
    /// <param name="hasPeerGone">As of <see cref="SocketTransportSettings.HasPeerGone"/>.</param>
    public SocketConnection(Socket socket, TimeProvider timeProvider, Func<int, bool>? hasPeerGone)
    {
        _socket = socket;
        _timeProvider = timeProvider;
        _hasPeerGone = hasPeerGone;
        RemoteEndPoint = socket.RemoteEndPoint;
        LocalEndPoint = socket.LocalEndPoint;
        Descriptor = (int)socket.Handle;
    }

    public override PipeReader Input => _input.Reader;

    public override PipeWriter Output => _output.Writer;

    public override long SentBytes => Volatile.Read(ref _sentBytes);

    public override long UnsentMemoryBytes => Volatile.Read(ref _unsentBytes);

    // Only where the runtime completes operations inline; elsewhere any thread of the pool will do.
    public override bool SharesThread => true;

    public override int Descriptor { get; }

    public override EndPoint? RemoteEndPoint { get; }

    public override EndPoint? LocalEndPoint { get; }

    /// <summary>Starts to receive and to send.</summary>
    public void Start()
    {
        _receiving = ReceiveAsync();
        _sending = SendAsync();
    }

    public override void StopReceiving()
    {
        _stopping = true;
        EndIfLast();
    }

    public override bool IsPeerGone => _receiving.IsCompleted || (_hasPeerGone is not null && IsHungUp(_hasPeerGone));

    public override void Abort() => _socket.Dispose();

    public override async ValueTask DisposeAsync()
    {
        if (!await EndsWithinAsync(_sending, LastSendTime).ConfigureAwait(false))
            Abort();
        TryShutdownSend();
        if (!await EndsWithinAsync(_receiving, GoodbyeTime).ConfigureAwait(false))
            Abort();

        await _sending.ConfigureAwait(false);
        await _receiving.ConfigureAwait(false);
        _socket.Dispose();
        _receive.Dispose();
        _send.Dispose();
    }

    // Receiving pauses while much lies unread. The descriptor is kept open meanwhile: its number is used again.
    private bool IsHungUp(Func<int, bool> hasPeerGone)
    {
        bool isKept = false;
        try
        {
            _socket.SafeHandle.DangerousAddRef(ref isKept);
            return hasPeerGone(Descriptor);
        }
        catch (ObjectDisposedException)
        {
            return true; // An abort was faster.
        }
        finally
        {
            if (isKept)
                _socket.SafeHandle.DangerousRelease();
        }
    }

    private async ValueTask<bool> EndsWithinAsync(Task loop, TimeSpan time)
    {
        if (loop.IsCompleted)
            return true;

        await loop.WaitAsync(time, _timeProvider).ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        return loop.IsCompleted;
    }

    private void TryShutdownSend()
    {
        try
        {
            _socket.Shutdown(SocketShutdown.Send);
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            // The peer, or an abort, came first.
        }
    }
}
