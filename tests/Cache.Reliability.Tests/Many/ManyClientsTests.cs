using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Cache.Core;
using Cache.Server;
using Cache.Testing;

namespace Cache.Reliability.Tests.Many;

/// <summary>
/// Ten thousand clients over sockets that wait, or listen: all get what is theirs, and others are answered.
/// </summary>
/// <remarks>
/// Both ends of each connection are in this process: where the system allows fewer than some 20,600 descriptors
/// (<c>ulimit -n</c>), there are as many clients as it allows, and the test says how many.
/// </remarks>
[Collection(nameof(ProcessWideCollection))]
public sealed class ManyClientsTests(ITestOutputHelper output) : IDisposable
{
    private const int ClientsMax = 10_000;

    // Of the test's own.
    private const int DescriptorsKept = 300;

    // Pushed at a time.
    private const int Batch = 100;

    // Beside its connection, which takes some 1.3 KB: both are to be less than 2 KB.
    private const int SubscriberBytesMax = 512;
    private const int MessageBytes = 8 * 1024;

    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(60);

    private readonly CacheStore _store = new(new CacheOptions { MemoryLimitBytes = 512 << 20 });
    private readonly List<Socket> _clients = [];
    private readonly byte[] _buffer = new byte[64 * 1024];

    private static int ClientCount => Math.Min(ClientsMax, (DescriptorLimit.ReadClientsMax() - DescriptorsKept) / 2);

    public void Dispose()
    {
        _clients.ForEach(static client => client.Dispose());
        _store.Dispose();
    }

    [Fact]
    public async Task Push_WithManyWaiting_ServesAllAndOthersMeanwhile()
    {
        await using var server = await StartAsync();
        await using var asker = new Asker(server.EndPoints[0]);
        Connect(server);
        foreach (var client in _clients)
            Send(client, "BLPOP queue 0\r\n");
        await UntilAsync(() => server.State.Waits.Count == _clients.Count);
        long before = asker.Answered;

        using (var pusher = ConnectOne(server))
        {
            for (int i = 0; i < _clients.Count; i += Batch)
            {
                int count = Math.Min(Batch, _clients.Count - i);
                var requests = new StringBuilder();
                for (int j = i; j < i + count; j++)
                    requests.Append(CultureInfo.InvariantCulture, $"RPUSH queue {j:D5}\r\n");
                Send(pusher, requests.ToString());
                Assert.All(Receive(pusher, 4 * count).Split("\r\n")[..count], static one => Assert.Equal(":1", one));
            }
        }

        const string Head = "*2\r\n$5\r\nqueue\r\n$5\r\n";
        var elements = new HashSet<string>();
        foreach (var client in _clients)
        {
            string reply = Receive(client, Head.Length + 7);
            Assert.StartsWith(Head, reply, StringComparison.Ordinal);
            Assert.True(elements.Add(reply[Head.Length..]));
        }

        await UntilAsync(() => asker.Answered > before);
        Assert.Equal(_clients.Count, elements.Count);
        Assert.Equal(0, server.State.Waits.Count);
        Assert.False(_store.TryPeekInfo("queue"u8, out _));
        output.WriteLine($"{_clients.Count} waited; {asker.Answered - before} other requests were answered meanwhile");
    }

    [Fact]
    public async Task Publish_ToManySubscribers_ReachesAllAndIsFramedOnce()
    {
        await using var server = await StartAsync();
        await using var asker = new Asker(server.EndPoints[0]);
        Connect(server);
        Exchange("PING\r\n", "+PONG\r\n");
        long idle = GC.GetTotalMemory(forceFullCollection: true);

        const string Confirmation = "*3\r\n$9\r\nsubscribe\r\n$4\r\nnews\r\n:1\r\n";
        Exchange("SUBSCRIBE news\r\n", Confirmation);

        long each = (GC.GetTotalMemory(forceFullCollection: true) - idle) / _clients.Count;
        long before = asker.Answered;
        using var publisher = ConnectOne(server);
        string text = new('x', MessageBytes);
        long allocated = GC.GetTotalAllocatedBytes(precise: true);
        Send(publisher, $"*3\r\n$7\r\nPUBLISH\r\n$4\r\nnews\r\n${MessageBytes}\r\n{text}\r\n");
        string count = string.Create(CultureInfo.InvariantCulture, $":{_clients.Count}\r\n");
        Assert.Equal(count, Receive(publisher, count.Length));
        string message = $"*3\r\n$7\r\nmessage\r\n$4\r\nnews\r\n${MessageBytes}\r\n{text}\r\n";
        byte[] expected = Encoding.ASCII.GetBytes(message);
        foreach (var client in _clients)
            Assert.True(ReceiveBytes(client, expected.Length).SequenceEqual(expected));
        long allocatedEach = (GC.GetTotalAllocatedBytes(precise: true) - allocated) / _clients.Count;

        await UntilAsync(() => asker.Answered > before);
        output.WriteLine($"{_clients.Count} subscribers of {each} bytes each beside their connections; "
            + $"{allocatedEach} bytes allocated for each message of {MessageBytes}; "
            + $"{asker.Answered - before} other requests were answered meanwhile");
        Assert.InRange(each, 1, SubscriberBytesMax);
        Assert.InRange(allocatedEach, 0, MessageBytes / 2);
    }

    private async Task<RespServer> StartAsync()
    {
        var options = new RespServerOptions
        {
            Port = 0,
            MaxClients = ClientsMax + 10,
            AcceptsPerSecond = 10 * ClientsMax,
            Backlog = 4096,
        };
        var server = new RespServer(_store, options);
        await server.StartAsync(CancellationToken.None);
        return server;
    }

    private void Connect(RespServer server)
    {
        for (int i = 0; i < ClientCount; i++)
            _clients.Add(ConnectOne(server));
    }

    private static Socket ConnectOne(RespServer server)
    {
        var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp)
        {
            NoDelay = true,
            ReceiveTimeout = (int)_patience.TotalMilliseconds,
            SendTimeout = (int)_patience.TotalMilliseconds,
        };
        client.Connect((IPEndPoint)server.EndPoints[0]);
        return client;
    }

    private static void Send(Socket client, string text) => client.Send(Encoding.ASCII.GetBytes(text));

    // All send before one reads.
    private void Exchange(string request, string reply)
    {
        foreach (var client in _clients)
            Send(client, request);
        foreach (var client in _clients)
            Assert.Equal(reply, Receive(client, reply.Length));
    }

    private string Receive(Socket client, int count) => Encoding.ASCII.GetString(ReceiveBytes(client, count));

    private ReadOnlySpan<byte> ReceiveBytes(Socket client, int count)
    {
        for (int received = 0; received < count;)
        {
            int more = client.Receive(_buffer.AsSpan(received, count - received));
            Assert.NotEqual(0, more);
            received += more;
        }

        return _buffer.AsSpan(0, count);
    }

    private static async Task UntilAsync(Func<bool> isSo)
    {
        long start = TimeProvider.System.GetTimestamp();
        while (!isSo())
        {
            Assert.True(TimeProvider.System.GetElapsedTime(start) < _patience);
            await Task.Delay(1);
        }
    }

    /// <summary>A client that asks without end, on a thread of its own.</summary>
    private sealed class Asker : IAsyncDisposable
    {
        private readonly Socket _socket = new(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        private readonly Task _asking;
        private volatile bool _hasEnded;
        private long _answered;

        public Asker(EndPoint server)
        {
            _socket.Connect(server);
            _socket.ReceiveTimeout = (int)_patience.TotalMilliseconds;
            _asking = Task.Factory.StartNew(
                Ask, CancellationToken.None, TaskCreationOptions.LongRunning, TaskScheduler.Default);
        }

        public long Answered => Volatile.Read(ref _answered);

        public async ValueTask DisposeAsync()
        {
            _hasEnded = true;
            await _asking;
            _socket.Dispose();
        }

        private void Ask()
        {
            byte[] request = "SET asked 1\r\nDEL asked\r\n"u8.ToArray();
            byte[] reply = new byte[9];
            while (!_hasEnded)
            {
                _socket.Send(request);
                for (int received = 0; received < reply.Length;)
                    received += _socket.Receive(reply.AsSpan(received));
                Assert.True(reply.AsSpan().SequenceEqual("+OK\r\n:1\r\n"u8));
                Interlocked.Increment(ref _answered);
            }
        }
    }
}
