using System.Net;
using System.Net.Sockets;

namespace Cache.Reliability.Tests.Fuzz;

/// <summary>A client's socket that takes replies while it sends, so that neither side waits for the other.</summary>
internal sealed class FuzzSocket : IDisposable
{
    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(30);

    private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp)
    {
        NoDelay = true,
        // To vanish is to reset; after an orderly end there is nothing left to reset.
        LingerState = new LingerOption(true, 0),
    };

    private readonly byte[] _buffer = new byte[64 * 1024];
    private bool _isReset;
    private bool _isEnded;

    public FuzzSocket(IPEndPoint endPoint)
    {
        _socket.Connect(endPoint);
        _socket.Blocking = false;
    }

    public FuzzConnectionLog Log { get; } = new();

    public void Send(byte[] bytes)
    {
        Log.Sent(bytes);
        int sent = 0;
        while (sent < bytes.Length && !_isReset && !_isEnded)
        {
            int count = _socket.Send(bytes.AsSpan(sent), SocketFlags.None, out var error);
            sent += Math.Max(0, count);
            if (error == SocketError.WouldBlock)
                WaitAndReceive();
            else if (error != SocketError.Success)
                _isReset = true;
        }

        while (!_isReset && !_isEnded && _socket.Available > 0)
            Receive();
    }

    /// <summary>Says that nothing more comes, and reads all that the server says.</summary>
    /// <returns>False if the connection was reset, which may have taken replies with it.</returns>
    public bool ReadToEnd()
    {
        try
        {
            _socket.Shutdown(SocketShutdown.Send);
        }
        catch (SocketException)
        {
            _isReset = true;
        }

        while (!_isReset && !_isEnded)
            WaitAndReceive();
        return !_isReset;
    }

    public void Dispose() => _socket.Dispose();

    private void WaitAndReceive()
    {
        if (!_socket.Poll(_patience, SelectMode.SelectRead))
            throw new FuzzFailureException($"The server neither took input nor sent anything for {_patience}.");
        Receive();
    }

    private void Receive()
    {
        int count = _socket.Receive(_buffer, SocketFlags.None, out var error);
        if (error == SocketError.WouldBlock)
            return;
        _isReset |= error != SocketError.Success;
        _isEnded |= error == SocketError.Success && count == 0;
        if (error == SocketError.Success)
            Log.Received(_buffer.AsSpan(0, count));
    }
}
