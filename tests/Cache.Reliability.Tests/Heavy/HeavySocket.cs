using System.Net;
using System.Net.Sockets;
using Cache.Reliability.Tests.Fuzz;

namespace Cache.Reliability.Tests.Heavy;

/// <summary>A client's socket that sends a request while it is made, and compares the reply while it comes.</summary>
internal sealed class HeavySocket : IDisposable
{
    private const int PieceBytesMax = 256 * 1024;

    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(60);

    private readonly Random _random;
    private readonly byte[] _piece = new byte[PieceBytesMax];
    private readonly byte[] _received = new byte[PieceBytesMax];
    private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp)
    {
        NoDelay = true,
    };

    public HeavySocket(IPEndPoint endPoint, Random random)
    {
        _random = random;
        _socket.Connect(endPoint);
        _socket.Blocking = false;
    }

    /// <summary>Sends a request in pieces of any size and takes its reply.</summary>
    /// <exception cref="FuzzFailureException">It is another one, or does not come.</exception>
    public void Exchange(HeavyRequest request, HeavyReply reply)
    {
        SendFirst(request, request.Length);
        Take(request, reply);
    }

    /// <summary>Sends a request, and waits until its reply has begun: by then it took place.</summary>
    public void Ask(HeavyRequest request)
    {
        SendFirst(request, request.Length);
        WaitFor(SelectMode.SelectRead, request);
    }

    /// <summary>Takes the reply to a request that was sent.</summary>
    public void Take(HeavyRequest request, HeavyReply reply)
    {
        while (!reply.IsComplete)
        {
            int count = _socket.Receive(_received, SocketFlags.None, out var error);
            if (error == SocketError.WouldBlock)
                WaitFor(SelectMode.SelectRead, request);
            else if (count == 0)
                throw new FuzzFailureException($"The server closed the connection after {request}.");
            else
                reply.Take(_received.AsSpan(0, count));
        }
    }

    /// <summary>Sends so many of its bytes.</summary>
    public void SendFirst(HeavyRequest request, long bytes)
    {
        using var parts = new PartStream(request.Parts());
        while (bytes > 0)
        {
            int length = _random.Next(4) == 0 ? _random.Next(1, 100) : _random.Next(1, PieceBytesMax);
            int count = parts.Read(_piece.AsSpan(0, (int)Math.Min(length, bytes)));
            Send(_piece.AsSpan(0, count), request);
            bytes -= count;
        }
    }

    /// <summary>Goes away, with a word or without.</summary>
    public void Dispose()
    {
        if (_random.Next(2) == 0)
            _socket.LingerState = new LingerOption(true, 0);
        _socket.Dispose();
    }

    private void Send(ReadOnlySpan<byte> piece, HeavyRequest request)
    {
        while (!piece.IsEmpty)
        {
            int count = _socket.Send(piece, SocketFlags.None, out var error);
            if (error == SocketError.WouldBlock)
                WaitFor(SelectMode.SelectWrite, request);
            else if (error != SocketError.Success)
                throw new FuzzFailureException($"The server closed the connection during {request}.");
            piece = piece[Math.Max(0, count)..];
        }
    }

    private void WaitFor(SelectMode mode, HeavyRequest request)
    {
        if (!_socket.Poll(_patience, mode))
            throw new FuzzFailureException($"{request} stood still for {_patience}.");
    }
}
