using System.Net;
using System.Net.Sockets;
using System.Runtime.CompilerServices;

namespace Cache.Server.Transport.Sockets;

/// <summary>Listens on a TCP address or on the path of a Unix domain socket.</summary>
/// <remarks>
/// An arrival that is gone before it is accepted only costs a turn of the loop. When the system has no or few
/// descriptors left, or no memory, the listener waits, longer each time, and tries again: the arrivals wait in the
/// system's queue meanwhile.
/// </remarks>
internal sealed class SocketListener : TransportListener
{
    // Short, to use a freed descriptor soon; doubled up to a second.
    private static readonly TimeSpan BackoffMin = TimeSpan.FromMilliseconds(10);
    private static readonly TimeSpan BackoffMax = TimeSpan.FromSeconds(1);

    // Linux refuses a higher value, and a socket whose setup fails is not served.
    private const int KeepAliveSecondsMax = short.MaxValue;

    private readonly SocketTransportSettings _settings;
    private readonly Func<CancellationToken, ValueTask<Socket>> _accept;
    private readonly Socket _socket;
    private readonly SocketAcceptor? _acceptor;
    private readonly CancellationTokenSource _disposed = new();
    private TimeSpan _backoff = BackoffMin;

    /// <param name="socket">
    /// A listening socket, already set up by the settings; the listener owns it from now on.
    /// </param>
    /// <param name="settings">How accepted sockets are set up.</param>
    /// <param name="accept">Accepts from the socket; null for the runtime's way.</param>
    internal SocketListener(
        Socket socket, SocketTransportSettings settings, Func<CancellationToken, ValueTask<Socket>>? accept = null)
    {
        _socket = socket;
        _settings = settings;
        _accept = accept ?? socket.AcceptAsync;
        EndPoint = socket.LocalEndPoint!;
        _acceptor = settings.Listen?.Invoke(socket);
    }

    public override EndPoint EndPoint { get; }

    private string? FilePath { get; init; }

    /// <summary>Binds and listens.</summary>
    /// <exception cref="SocketException">The address is taken, not this machine's, or not permitted.</exception>
    /// <exception cref="IOException">
    /// The path of a Unix domain socket leads to something else, or cannot be written.
    /// </exception>
    public static SocketListener Bind(EndPoint endPoint, SocketTransportSettings settings)
    {
        var socket = Create(endPoint.AddressFamily);
        string? file = null;
        try
        {
            if (endPoint is UnixDomainSocketEndPoint path)
                file = BindFile(socket, path);
            else
                socket.Bind(endPoint);

            // Before clients can connect: they can once the socket listens.
            if (file is not null && settings.UnixSocketMode is { } mode && !OperatingSystem.IsWindows())
                File.SetUnixFileMode(file, mode);

            // Accepted sockets inherit it, also of a client that reconnects at once after a restart.
            if (settings.Listen is not null)
                SetUpSocket(socket, settings);
            socket.Listen(settings.Backlog);
            return new SocketListener(socket, settings) { FilePath = file };
        }
        catch
        {
            socket.Dispose();
            UnixSocketFile.Remove(file);
            throw;
        }
    }

    /// <summary>Binds an address without listening on it: clients cannot connect.</summary>
    /// <exception cref="SocketException">The address is taken, not this machine's, or not permitted.</exception>
    public static Socket Reserve(IPEndPoint endPoint)
    {
        var socket = Create(endPoint.AddressFamily);
        try
        {
            socket.Bind(endPoint);
            return socket;
        }
        catch
        {
            socket.Dispose();
            throw;
        }
    }

    [AsyncMethodBuilder(typeof(PoolingAsyncValueTaskMethodBuilder<>))]
    public override async ValueTask<TransportConnection?> AcceptAsync()
    {
        while (true)
        {
            if (_settings.LacksDescriptors())
            {
                if (!await BackOffAsync(new SocketException((int)SocketError.TooManyOpenSockets)).ConfigureAwait(false))
                    return null;
                continue;
            }

            try
            {
                var connection = _acceptor is null
                    ? Connect(await _accept(_disposed.Token).ConfigureAwait(false))
                    : await _acceptor.AcceptAsync().ConfigureAwait(false);
                _backoff = BackoffMin;
                if (connection is not null || _disposed.IsCancellationRequested)
                    return connection;
            }
            catch (Exception) when (_disposed.IsCancellationRequested)
            {
                return null;
            }
            catch (SocketException e) when (IsOfOneArrival(e.SocketErrorCode))
            {
                // That peer is gone; the next one waits.
            }
            catch (ArgumentException)
            {
                // The runtime cannot read the peer's address: macOS has none after a reset.
            }
            catch (SocketException e)
            {
                if (!await BackOffAsync(e).ConfigureAwait(false))
                    return null;
            }
        }
    }

    public override void Close()
    {
        _disposed.Cancel();
        _acceptor?.Close();
        _socket.Dispose();
        UnixSocketFile.Remove(FilePath);
    }

    // Where accepted sockets inherit it from the listening one; elsewhere each is set up itself.
    public override void SetUpAgain()
    {
        if (_acceptor is not null)
            SetUpSocket(_socket, _settings);
    }

    private static Socket Create(AddressFamily family)
    {
        var protocol = family == AddressFamily.Unix ? ProtocolType.Unspecified : ProtocolType.Tcp;
        var socket = new Socket(family, SocketType.Stream, protocol);

        // So that 0.0.0.0 and :: can be bound side by side.
        if (family == AddressFamily.InterNetworkV6)
            socket.DualMode = false;
        return socket;
    }

    // The full path, since the process may change its folder.
    private static string BindFile(Socket socket, UnixDomainSocketEndPoint path)
    {
        UnixSocketFile.RemoveStale(path.ToString());
        var address = new UnixListenerEndPoint(path);
        socket.Bind(address);
        address.EndBinding();
        return Path.GetFullPath(path.ToString());
    }

    private static bool IsOfOneArrival(SocketError error) =>
        error is SocketError.ConnectionReset or SocketError.ConnectionAborted or SocketError.Interrupted;

    private async ValueTask<bool> BackOffAsync(SocketException error)
    {
        var delay = _backoff;
        _backoff = delay * 2 < BackoffMax ? delay * 2 : BackoffMax;
        _settings.AcceptFailed?.Invoke(EndPoint, error, delay);
        await Task.Delay(delay, _settings.TimeProvider, _disposed.Token)
            .ConfigureAwait(ConfigureAwaitOptions.SuppressThrowing);
        return !_disposed.IsCancellationRequested;
    }

    // Null if the peer is gone already, which some systems report only here.
    private SocketConnection? Connect(Socket socket)
    {
        try
        {
            SetUpSocket(socket, _settings);
            var connection = new SocketConnection(socket, _settings.TimeProvider, _settings.HasPeerGone);
            connection.Start();
            return connection;
        }
        catch (Exception e) when (e is SocketException or ObjectDisposedException)
        {
            socket.Dispose();
            return null;
        }
    }

    // As in Redis: probes begin after the whole time and repeat after a third of it; three without an answer end it.
    private static void SetUpSocket(Socket socket, SocketTransportSettings settings)
    {
        if (socket.ProtocolType != ProtocolType.Tcp)
            return;
        socket.NoDelay = true;
        int seconds = Math.Min(settings.KeepAliveSeconds, KeepAliveSecondsMax);
        socket.SetSocketOption(SocketOptionLevel.Socket, SocketOptionName.KeepAlive, seconds > 0);
        if (seconds == 0)
            return;
        socket.SetSocketOption(SocketOptionLevel.Tcp, SocketOptionName.TcpKeepAliveTime, seconds);
        socket.SetSocketOption(SocketOptionLevel.Tcp, SocketOptionName.TcpKeepAliveInterval, Math.Max(1, seconds / 3));
        socket.SetSocketOption(SocketOptionLevel.Tcp, SocketOptionName.TcpKeepAliveRetryCount, 3);
    }
}
