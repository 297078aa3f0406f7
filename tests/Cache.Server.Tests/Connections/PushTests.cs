using System.Collections.Concurrent;
using System.Net;
using System.Net.Security;
using System.Net.Sockets;
using System.Text;
using Cache.Server.Clients;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Connections;
using Cache.Server.Settings;
using Cache.Server.Tests.Transport.Tls;
using Cache.Server.Transport;
using Cache.Server.Transport.Linux;
using Cache.Server.Transport.Sockets;
using Cache.Server.Transport.Tls;
using Cache.Testing;
using Microsoft.Extensions.Logging.Abstractions;

namespace Cache.Server.Tests.Connections;

/// <summary>What others push to a connection, over every transport.</summary>
public sealed class PushTests : ConnectionTestBase
{
    private const string Pong = "+PONG\r\n";

    // What takes so long on the slowest machine does not happen.
    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(60);

    private readonly PushHub _hub = new();

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public static TheoryData<RespTransport, bool> Transports() => EpollTransport.IsSupported
        ? new() { { RespTransport.Portable, false }, { RespTransport.Portable, true },
            { RespTransport.Epoll, false }, { RespTransport.Epoll, true } }
        : new() { { RespTransport.Portable, false }, { RespTransport.Portable, true } };

    [Fact]
    public async Task Publish_ToClientsAtRest_LeavesAtOnce()
    {
        await using var server = Start();
        var listener = server.Connect();
        Assert.Equal(Pong, listener.Exchange(Request("LISTEN")));

        Assert.Equal(Pong, server.Connect().Exchange(Request("PUBLISH", ">news")));

        await ExpectAsync(listener, ">news");
        listener.Send(Request("PING"));
        await ExpectAsync(listener, Pong);
    }

    [Fact]
    public async Task Publish_ByWhoListens_ComesBehindItsReplyAndBeforeTheNext()
    {
        await using var server = Start();
        var client = server.Connect();

        client.Send(Request("LISTEN") + Request("PUBLISH", ">a") + Request("PUBLISH", ">b"));

        await ExpectAsync(client, Pong + Pong + ">a" + Pong + ">b");
    }

    [Fact]
    public async Task Publish_ToAParkedClient_LeavesMeanwhile()
    {
        await using var server = Start();
        var client = server.Connect();
        client.Send(Request("LISTEN") + Request("PARK") + Request("PING"));
        await ExpectAsync(client, Pong);

        _hub.Publish(">news"u8.ToArray());
        await ExpectAsync(client, ">news");
        Assert.True(server.State.Clients.Find(1)!.TryUnblock(SuspensionEnd.Unblocked));

        await ExpectAsync(client, Pong + Pong);
    }

    [Fact]
    public async Task Park_OfACommandThatGivesWayAfterwards_EndsOnce()
    {
        await using var server = new PushServer(
            Store, _hub, new InMemoryListener(new InMemoryBounds { SharesThread = true }));
        var client = server.Connect();
        client.Send(Request("PARK", "LONG") + Request("PARK"));
        var session = server.State.Clients.Find(1)!;

        Assert.True(session.TryUnblock(SuspensionEnd.Unblocked));

        await ExpectAsync(client, Pong);
        await Polling.WhileAsync(() => !session.IsParked);
        Assert.True(session.TryUnblock(SuspensionEnd.Unblocked));
        await ExpectAsync(client, Pong);
    }

    // A message comes each time that one is sent: the transport's thread has other connections too.
    [Fact]
    public async Task Publish_AsFastAsItIsSent_LeavesTheThreadToOthers()
    {
        const int Messages = 500;
        var posted = new ConcurrentQueue<Action>();
        int flushes = 0;
        int messages = Messages;
        var bounds = new InMemoryBounds
        {
            Post = posted.Enqueue,
            Pass = point =>
            {
                if (point != "before a flush" || messages == Messages)
                    return;
                flushes++;
                if (messages-- > 0)
                    _hub.Publish(">\n"u8.ToArray());
            },
        };
        await using var server = new PushServer(Store, _hub, new InMemoryListener(bounds));
        var listener = server.Connect();
        listener.Send(Request("LISTEN"));
        await ExpectAsync(listener, Pong);

        messages--;
        _hub.Publish(">\n"u8.ToArray());
        for (; posted.TryDequeue(out var work); flushes = 0)
        {
            work();
            Assert.InRange(flushes, 0, 1);
        }

        await ExpectAsync(listener, Repeat(">\n", Messages));
    }

    // A message comes each time that one is sent, and so the outbox is never empty when the connection is to rest: what
    // the client has sent meanwhile is executed all the same.
    [Fact]
    public async Task Publish_AsFastAsItIsSent_LeavesRoomForRequests()
    {
        const int Messages = 500;
        const int AskedAt = 3;
        InMemoryClient? listener = null;
        int flushes = 0;
        var bounds = new InMemoryBounds
        {
            Pass = point =>
            {
                if (point != "before a flush" || listener is null || flushes == Messages)
                    return;
                _hub.Publish(">\n"u8.ToArray());
                if (++flushes == AskedAt)
                    listener.Send(Request("PING"));
            },
        };
        await using var server = new PushServer(Store, _hub, new InMemoryListener(bounds));
        var client = server.Connect();
        client.Send(Request("LISTEN"));
        await ExpectAsync(client, Pong);

        listener = client;
        client.Send(Request("PING"));

        var text = new StringBuilder();
        string all = Repeat(">\n", Messages);
        while (text.Length < all.Length + Pong.Length * 2)
            text.Append(Encoding.ASCII.GetString(await client.ReadAsync(1, Token)));
        int second = text.ToString().IndexOf(Pong, text.ToString().IndexOf(Pong, StringComparison.Ordinal) + 1,
            StringComparison.Ordinal);
        Assert.InRange(second, 1, Pong.Length + (AskedAt + 2) * ">\n".Length);
    }

    [Fact]
    public async Task Publish_ToAClientThatTakesNothing_EndsItAndNobodyElse()
    {
        await using var server = Start();
        var (slow, other) = (server.Connect(), server.Connect());
        slow.Exchange(Request("LISTEN"));
        other.Exchange(Request("LISTEN"));
        byte[] message = new byte[1 << 20];

        int count = 0;
        for (; _hub.Count == 2; count++)
        {
            _hub.Publish(message);
            await other.ReadAsync(message.Length, Token);
        }

        Assert.InRange(count, 32, 35);
        await Polling.WhileAsync(() => server.State.Clients.Count > 1);
        Assert.Equal(1, server.State.Limits[ConnectionLimit.OutputBuffer]);
        other.Send(Request("PING"));
        await ExpectAsync(other, Pong);
        await Polling.WhileAsync(() => server.State.ClientMemory.Bytes != ClientMemory.IdleClientBytes);
    }

    // Its replies and the messages are each whole and in order, however they come together.
    [Theory]
    [MemberData(nameof(Transports))]
    public Task Publish_BesideRequests_MixesWholeRepliesAndMessages(RespTransport transport, bool isTls) =>
        RandomSeed.RunAsync(this, async seed =>
    {
        const int Listeners = 8;
        const int Messages = 400;
        await using var server = Start(transport, isTls);
        var streams = new List<Stream>();
        for (int i = 0; i < Listeners; i++)
            streams.Add(await ConnectAsync(server, isTls));
        var readings = new List<Task>();
        foreach (var stream in streams)
        {
            await stream.WriteAsync(Encoding.ASCII.GetBytes(Request("LISTEN")), Token);
            Assert.Equal(Pong, await ReadAsync(stream, Pong.Length));
            readings.Add(CheckAsync(stream, Messages));
        }

        var asking = streams.Select((stream, i) => AskAsync(stream, new Random(seed + i), Messages)).ToList();
        for (int i = 0; i < Messages; i++)
        {
            _hub.Publish(Encoding.ASCII.GetBytes($">{i:D5}{new string('x', i % 7 * 100)}\n"));
            if (i % 16 == 0)
                await Task.Yield();
        }

        await Task.WhenAll(asking).WaitAsync(_patience, Token);
        await Task.WhenAll(readings).WaitAsync(_patience, Token);
        streams.ForEach(static stream => stream.Dispose());
    });

    [Theory]
    [MemberData(nameof(Transports))]
    public async Task Stop_WhileMessagesArePushed_EndsAllClients(RespTransport transport, bool isTls)
    {
        using var end = new CancellationTokenSource();
        var server = Start(transport, isTls);
        for (int i = 0; i < 4; i++)
        {
            var stream = await ConnectAsync(server, isTls);
            await stream.WriteAsync(Encoding.ASCII.GetBytes(Request("LISTEN")), Token);
            await ReadAsync(stream, Pong.Length);
            if (i % 2 == 0)
                _ = stream.CopyToAsync(Stream.Null, end.Token); // The others take nothing.
        }

        // So few that no client is ended for what it has not read, however late the loops come to write.
        for (int i = 0; i < 2_000; i++)
            _hub.Publish(new byte[1000]);
        await Polling.WhileAsync(() => server.State.Statistics.SumTraffic().OutputBytes < 1_000_000);
        var publishing = Task.Run(() =>
        {
            while (!end.IsCancellationRequested)
                _hub.Publish(new byte[1000]);
        }, Token);

        await server.DisposeAsync();
        await end.CancelAsync();
        await publishing;

        Assert.Equal(0, server.State.Clients.Count);
        Assert.Equal(0, server.State.ClientMemory.Bytes);
    }

    // Replies are PONG, a message is > to the end of a line, with its number.
    private static async Task CheckAsync(Stream stream, int messages)
    {
        using var reader = new StreamReader(stream, Encoding.ASCII, leaveOpen: true);
        int pongs = 0;
        for (int next = 0; next < messages || pongs < messages;)
        {
            string line = await reader.ReadLineAsync(Token) ?? throw new EndOfStreamException();
            if (line == "+PONG")
            {
                pongs++;
                continue;
            }

            Assert.Equal($">{next:D5}{new string('x', next % 7 * 100)}", line);
            next++;
        }
    }

    private static async Task AskAsync(Stream stream, Random random, int requests)
    {
        while (requests > 0)
        {
            int count = Math.Min(requests, random.Next(1, 20));
            await stream.WriteAsync(Encoding.ASCII.GetBytes(Repeat(Request("PING"), count)), Token);
            requests -= count;
        }
    }

    private static async Task<string> ReadAsync(Stream stream, int count)
    {
        byte[] bytes = new byte[count];
        await stream.ReadExactlyAsync(bytes, Token);
        return Encoding.ASCII.GetString(bytes);
    }

    private static async Task<Stream> ConnectAsync(PushServer server, bool isTls)
    {
        var socket = new Socket(SocketType.Stream, ProtocolType.Tcp);
        await socket.ConnectAsync(server.EndPoint, Token);
        var stream = new NetworkStream(socket, ownsSocket: true);
        if (!isTls)
            return stream;
#pragma warning disable CA5359 // Any certificate will do.
        var tls = new SslStream(stream, leaveInnerStreamOpen: false, static (_, _, _, _) => true);
#pragma warning restore CA5359
        await tls.AuthenticateAsClientAsync("localhost");
        return tls;
    }

    private static async Task ExpectAsync(InMemoryClient client, string text) =>
        Assert.Equal(text, Encoding.ASCII.GetString(await client.ReadAsync(text.Length, Token)));

    private PushServer Start() => new(Store, _hub, new InMemoryListener());

    private PushServer Start(RespTransport transport, bool isTls) => new(Store, _hub, transport, isTls);

    /// <summary>A server of the hub.</summary>
    private sealed class PushServer : IAsyncDisposable
    {
        // The bound of the outbox is met before that of all clients.
        private readonly ServerSettings _settings = new() { ClientMemoryLimit = 128 << 20 };
        private readonly ConnectionAcceptor<PushExecutor> _acceptor;
        private readonly TransportListener _listener;
        private readonly EpollTransport? _epoll;
        private readonly TestCertificates? _certificates;
        private readonly TlsCertificateSource? _source;
        private readonly Task _accepting;

        public PushServer(Core.CacheStore store, PushHub hub, TransportListener listener)
        {
            _listener = listener;
            State = TestServerState.Create(store, _settings);
            _acceptor = new ConnectionAcceptor<PushExecutor>(State, new PushExecutor(hub), NullLogger.Instance);
            _accepting = _acceptor.AcceptAsync(listener);
        }

        public PushServer(Core.CacheStore store, PushHub hub, RespTransport transport, bool isTls)
        {
            _epoll = transport == RespTransport.Epoll ? new EpollTransport(1, TimeProvider.System) : null;
            _listener = SocketListener.Bind(
                new IPEndPoint(IPAddress.Loopback, 0),
                new SocketTransportSettings { Listen = _epoll is null ? null : _epoll.Listen });
            if (isTls)
            {
                _certificates = new TestCertificates();
                var settings = new TlsSettings
                {
                    TlsCertificateFile = _certificates.CertificateFile,
                    TlsKeyFile = _certificates.KeyFile,
                    HandshakeTimeout = _patience,
                };
                _source = TlsCertificateSource.Open(settings, [])!;
                _listener = new TlsListener(_listener, settings, _source);
            }

            State = TestServerState.Create(store, _settings);
            _acceptor = new ConnectionAcceptor<PushExecutor>(State, new PushExecutor(hub), NullLogger.Instance);
            _accepting = _acceptor.AcceptAsync(_listener);
        }

        public ServerState State { get; }

        public EndPoint EndPoint => _listener.EndPoint;

        public InMemoryClient Connect() => ((InMemoryListener)_listener).Connect();

        public async ValueTask DisposeAsync()
        {
            await _listener.DisposeAsync();
            await _accepting;
            await _acceptor.StopAsync(TimeSpan.Zero, Token);
            await Polling.WhileAsync(() => _acceptor.Live.Any());
            _acceptor.Dispose();
            _epoll?.Dispose();
            _source?.Dispose();
            _certificates?.Dispose();
        }
    }
}
