using System.Net;
using System.Net.Sockets;
using System.Text;
using Cache.Bench.Subjects;

namespace Cache.Bench.ServerLoad;

/// <summary>A client that takes more than its share: on threads of its own, until it is disposed.</summary>
internal sealed class HostileClient : IDisposable
{
    /// <summary>The length of the values that <see cref="WriteLargeValues"/> sends.</summary>
    public const int LargeValueBytes = 100_000_000;

    private const int FloodRequests = 1000;
    private const int UnreadValueBytes = 10_000;

    private static readonly byte[] _setUnread = Encoding.ASCII.GetBytes(
        $"*3\r\n$3\r\nSET\r\n$11\r\nfair:unread\r\n${UnreadValueBytes}\r\n{new string('v', UnreadValueBytes)}\r\n");

    private static readonly byte[] _getUnread = "*2\r\n$3\r\nGET\r\n$11\r\nfair:unread\r\n"u8.ToArray();
    private static readonly byte[] _getNothing = "*2\r\n$3\r\nGET\r\n$12\r\nfair:nothing\r\n"u8.ToArray();

    private readonly EndPoint _target;
    private readonly List<Socket> _sockets = [];
    private readonly List<Thread> _threads = [];
    private volatile bool _isOver;
    private long _count;

    private HostileClient(EndPoint target) => _target = target;

    /// <summary>Requests, or values, or connections, that it got through so far.</summary>
    public long Count => Interlocked.Read(ref _count);

    /// <summary>Pipelines requests without end, and reads their replies as fast as they come.</summary>
    public static HostileClient Flood(EndPoint target)
    {
        var client = new HostileClient(target);
        var socket = client.Connect();
        byte[] requests = Repeat(_getNothing, FloodRequests);
        client.Start(() => SendAll(socket, requests));
        byte[] replies = new byte[256 * 1024];
        client.Start(() => client.Add(Receive(socket, replies) / "$-1\r\n".Length));
        return client;
    }

    /// <summary>Sends values of 100 MB, one after the other.</summary>
    public static HostileClient WriteLargeValues(EndPoint target)
    {
        var client = new HostileClient(target);
        var socket = client.Connect();
        byte[] header = Encoding.ASCII.GetBytes($"*3\r\n$3\r\nSET\r\n$10\r\nfair:large\r\n${LargeValueBytes}\r\n");
        byte[] piece = new byte[1_000_000];
        byte[] reply = new byte["+OK\r\n".Length];
        client.Start(() =>
        {
            SendAll(socket, header);
            for (int sent = 0; sent < LargeValueBytes; sent += piece.Length)
                SendAll(socket, piece);
            SendAll(socket, "\r\n"u8.ToArray());
            for (int received = 0; received < reply.Length;)
                received += Receive(socket, reply.AsSpan(received));
            if (reply[0] != '+')
                throw new WrongAnswerException($"A value of 100 MB was answered: {Encoding.ASCII.GetString(reply)}");
            client.Add(1);
        });
        return client;
    }

    /// <summary>Asks for replies and reads none; when the server hangs up, does it again.</summary>
    public static HostileClient NeverRead(EndPoint target)
    {
        var client = new HostileClient(target);
        byte[] requests = Repeat(_getUnread, 100);
        client.Start(() =>
        {
            using var socket = client.Connect();
            SendAll(socket, _setUnread);
            client.Add(1);
            while (true)
                SendAll(socket, requests); // Blocks as soon as the server pauses it.
        });
        return client;
    }

    public void Dispose()
    {
        _isOver = true;
        lock (_sockets)
            _sockets.ForEach(static socket => socket.Dispose());
        _threads.ForEach(static thread => thread.Join());
    }

    private void Start(Action step)
    {
        var thread = new Thread(() => Run(step)) { IsBackground = true, Name = "hostile" };
        _threads.Add(thread);
        thread.Start();
    }

    private void Run(Action step)
    {
        while (!_isOver)
        {
            try
            {
                step();
            }
            catch (Exception error) when (error is SocketException or ObjectDisposedException)
            {
                // The server hung up, or this is the end.
                if (_isOver)
                    return;
            }
        }
    }

    private void Add(long count) => Interlocked.Add(ref _count, count);

    private Socket Connect()
    {
        var socket = LoadRun.ConnectTo(_target);
        lock (_sockets)
            _sockets.Add(socket);
        return socket;
    }

    private static void SendAll(Socket socket, ReadOnlySpan<byte> bytes)
    {
        while (!bytes.IsEmpty)
            bytes = bytes[socket.Send(bytes)..];
    }

    private static int Receive(Socket socket, Span<byte> bytes)
    {
        int count = socket.Receive(bytes);
        return count > 0 ? count : throw new SocketException((int)SocketError.ConnectionReset);
    }

    private static byte[] Repeat(byte[] bytes, int count)
    {
        byte[] all = new byte[bytes.Length * count];
        for (int i = 0; i < count; i++)
            bytes.CopyTo(all, i * bytes.Length);
        return all;
    }
}
