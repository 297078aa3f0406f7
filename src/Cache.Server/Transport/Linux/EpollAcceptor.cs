using System.ComponentModel;
using System.Net;
using System.Net.Sockets;
using System.Runtime.CompilerServices;
using Cache.Server.Transport.Sockets;

namespace Cache.Server.Transport.Linux;

/// <summary>Accepts the connections of a listening socket by its descriptor.</summary>
/// <remarks>
/// The runtime would make a socket object for each connection, of which only the descriptor would be used. Accepted
/// sockets inherit the options of the listening one. Concurrency: one caller accepts at a time; the loop reports an
/// arrival to it on the thread pool, once per wait. The descriptor is used only under the gate and before
/// <see cref="Close"/>, since the system reuses its number.
/// </remarks>
internal sealed class EpollAcceptor : SocketAcceptor
{
    private readonly Func<int, EndPoint, EndPoint, TransportConnection> _connect;
    private readonly EpollLoop _loop;
    private readonly EndPoint _endPoint;
    private readonly int _descriptor;
    private readonly ulong _number;
    private readonly Lock _gate = new();
    private readonly ReusableWait<bool> _arrival = new();

    // Guarded by the gate.
    private bool _isWaiting;
    private bool _isWatched;
    private bool _isClosed;

    // The last addresses, which most arrivals share: from the same machine, to the same address.
    private IPAddress _remote = IPAddress.Loopback;
    private IPEndPoint? _local;

    /// <param name="socket">A listening socket; the caller closes it, after <see cref="Close"/>.</param>
    /// <param name="connect">Creates a connection from a descriptor, the client's address, and its own.</param>
    /// <param name="loop">Reports arrivals.</param>
    public EpollAcceptor(
        Socket socket, Func<int, EndPoint, EndPoint, TransportConnection> connect, EpollLoop loop)
    {
        socket.Blocking = false;
        _endPoint = socket.LocalEndPoint!;
        _descriptor = (int)socket.SafeHandle.DangerousGetHandle();
        _connect = connect;
        _loop = loop;
        _number = loop.AddArrivals(OnArrival);
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public override async ValueTask<TransportConnection?> AcceptAsync()
    {
        while (true)
        {
            ValueTask<bool> arrival;
            lock (_gate)
            {
                if (_isClosed)
                    return null;
                int error = Accept(out var connection);
                if (connection is not null)
                    return connection;
                if (IsOfOneArrival(error))
                    continue;
                if (error != LinuxCalls.ErrorAgain)
                    throw ToException(error);
                arrival = BeginWait();
            }

            await arrival.ConfigureAwait(false);
        }
    }

    public override void Close()
    {
        lock (_gate)
            _isClosed = true;
        _loop.RemoveArrivals(_number);
        OnArrival();
    }

    /// <summary>A client has arrived. The loop's thread.</summary>
    private void OnArrival()
    {
        lock (_gate)
        {
            if (!_isWaiting)
                return;
            _isWaiting = false;
        }

        _arrival.End(true, onThisThread: false);
    }

    private ValueTask<bool> BeginWait()
    {
        int operation = _isWatched ? LinuxCalls.ControlModify : LinuxCalls.ControlAdd;
        if (_loop.Control(operation, _descriptor, LinuxCalls.EventIn | LinuxCalls.EventOnce, _number) < 0)
        {
            throw ToException(LinuxCalls.LastError);
        }

        // The thread that reports an arrival waits for the gate.
        _isWatched = true;
        _isWaiting = true;
        return _arrival.Begin();
    }

    /// <returns>The system's error, if there is no connection.</returns>
    private int Accept(out TransportConnection? connection)
    {
        var address = default(SocketAddressBytes);
        int length = SocketAddressBytes.Length;
        int descriptor = LinuxCalls.Accept(_descriptor, ref address[0], ref length, LinuxCalls.CloseOnExec);
        connection = descriptor < 0 ? null : _connect(descriptor, RemoteOf(address), LocalOf(descriptor));
        return descriptor < 0 ? LinuxCalls.LastError : 0;
    }

    private EndPoint RemoteOf(ReadOnlySpan<byte> address)
    {
        if (_endPoint is not IPEndPoint)
            return _endPoint; // The client's address is never read, and most have none.
        var (ip, port) = SocketAddressBytes.Read(address, _remote);
        _remote = ip;
        return new IPEndPoint(ip, port);
    }

    // If the socket listens on all addresses, only the system knows which one it was.
    private EndPoint LocalOf(int descriptor)
    {
        if (_endPoint is not IPEndPoint listening || !IsAny(listening.Address))
            return _endPoint;
        var address = default(SocketAddressBytes);
        int length = SocketAddressBytes.Length;
        if (LinuxCalls.GetSocketName(descriptor, ref address[0], ref length) < 0)
            return _endPoint;
        var (ip, port) = SocketAddressBytes.Read(address, _local?.Address ?? IPAddress.Loopback);
        if (_local is null || !ReferenceEquals(ip, _local.Address))
            _local = new IPEndPoint(ip, port);
        return _local;
    }

    private static bool IsAny(IPAddress address) => address.Equals(IPAddress.Any) || address.Equals(IPAddress.IPv6Any);

    // As accept(2) has them: EPERM, EINTR, ENONET, EPROTO, ENOPROTOOPT, EOPNOTSUPP, ENETDOWN, ENETUNREACH,
    // ECONNABORTED, EHOSTDOWN, EHOSTUNREACH.
    private static bool IsOfOneArrival(int error) =>
        error is 1 or 4 or 64 or 71 or 92 or 95 or 100 or 101 or 103 or 112 or 113;

    private static SocketException ToException(int error) => error switch
    {
        LinuxCalls.ErrorDescriptors or LinuxCalls.ErrorAllDescriptors =>
            new SocketException((int)SocketError.TooManyOpenSockets),
        LinuxCalls.ErrorMemory or LinuxCalls.ErrorBuffers =>
            new SocketException((int)SocketError.NoBufferSpaceAvailable),
        _ => new SocketException((int)SocketError.SocketError, new Win32Exception(error).Message),
    };
}
