using System.Globalization;
using System.Net;
using System.Net.Sockets;
using System.Text;
using Cache.Core;
using Cache.Server.Settings;
using Cache.Server.Tests.Transport;
using Cache.Server.Tests.Transport.Tls;

namespace Cache.Server.Tests;

/// <summary>CONFIG SET of port and bind while clients are connected, with the errors of redis-server 7.0.15.</summary>
/// <remarks>No other test uses the addresses 127.77.0.x: a port that a server was given is free there too.</remarks>
public sealed class ListenChangeTests : IDisposable
{
    private const string PortRefused =
        "-ERR CONFIG SET failed (possibly related to argument 'port') - "
        + "Unable to listen on this port. Check server logs.\r\n";

    private const string BindRefused =
        "-ERR CONFIG SET failed (possibly related to argument 'bind') - Failed to bind to specified addresses.\r\n";

    private readonly CacheStore _store = new(new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = 2 });
    private readonly MessageLog _log = new();

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public void Dispose()
    {
        _store.Dispose();
        _log.Dispose();
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Port_OfNobody_IsListenedOnInsteadAndConnectionsStay(RespTransport transport)
    {
        await using var server = await StartAsync(transport);
        var old = (IPEndPoint)server.EndPoints[0];
        using var client = await ConnectAsync(old);
        int port = FindFreePort();

        await ExpectAsync(client, $"CONFIG SET port {port}", "+OK\r\n");

        Assert.Equal([new IPEndPoint(IPAddress.Loopback, port)], server.EndPoints);
        await Assert.ThrowsAnyAsync<SocketException>(() => ConnectAsync(old));
        using var next = await ConnectAsync(server.EndPoints[0]);
        await ExpectAsync(next, "CONFIG GET port", $"*2\r\n$4\r\nport\r\n${port.ToString().Length}\r\n{port}\r\n");
        Assert.Contains($"tcp_port:{port}\r\n", await SendAsync(next, "INFO server"), StringComparison.Ordinal);
        await ExpectAsync(client, "PING", "+PONG\r\n");
        Assert.Contains($"Ready to accept connections on 127.0.0.1:{port}", _log.Messages);
        Assert.Contains($"No longer listening on {old}", _log.Messages);
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Port_OfAnother_ChangesNothing(RespTransport transport)
    {
        await using var server = await StartAsync(transport);
        using var other = Listen(IPAddress.Loopback, 0);
        int taken = ((IPEndPoint)other.LocalEndPoint!).Port;
        var before = server.EndPoints;
        using var client = await ConnectAsync(before[0]);

        await ExpectAsync(client, $"CONFIG SET timeout 77 port {taken}", PortRefused);
        await ExpectAsync(client, $"CONFIG SET port {taken} bind 127.0.0.1", PortRefused);
        await ExpectAsync(client, $"CONFIG SET bind 127.0.0.1 port {taken}", BindRefused);

        Assert.Equal(before, server.EndPoints);
        Assert.Equal(((IPEndPoint)before[0]).Port, server.State.Settings.Port);
        Assert.Equal(0, server.State.Settings.TimeoutSeconds);
        using var next = await ConnectAsync(before[0]);
        await ExpectAsync(next, "PING", "+PONG\r\n");
        Assert.Contains(
            $"CONFIG SET refused, the addresses are unchanged: port is {taken}; cannot listen on 127.0.0.1:{taken}: "
            + "another process listens there already. Stop it, or choose another port or address.",
            _log.Messages);
    }

    // The first address could be bound; that it was must not be seen.
    [Theory]
    [InlineData("127.77.0.1 192.0.2.1")]
    [InlineData("127.77.0.1 no.such.host.invalid")]
    [InlineData("127.77.0.1 127.77.0.1")]
    [InlineData("127.77.0.1  127.77.0.2")]
    [InlineData("* 127.77.0.1")]
    [InlineData("a\tb")]
    public async Task Bind_ThatCannotBe_ChangesNothing(string bind)
    {
        await using var server = await StartAsync(RespTransport.Portable, bind: "127.77.0.2");
        var before = server.EndPoints;
        using var client = await ConnectAsync(before[0]);

        await ExpectAsync(client, Request("CONFIG", "SET", "bind", bind), BindRefused);

        Assert.Equal(before, server.EndPoints);
        using var next = await ConnectAsync(before[0]);
        await ExpectAsync(next, "CONFIG GET bind", "*2\r\n$4\r\nbind\r\n$10\r\n127.77.0.2\r\n");
        int port = ((IPEndPoint)before[0]).Port;
        using var free = Listen(IPAddress.Parse("127.77.0.1"), port);
    }

    [Fact]
    public async Task Bind_OfMoreThanRedisTakes_IsRefused()
    {
        await using var server = await StartAsync(RespTransport.Portable);
        using var client = await ConnectAsync(server.EndPoints[0]);
        string many = string.Join(' ', Enumerable.Range(1, 17).Select(static i => $"127.77.0.{i}"));

        await ExpectAsync(
            client,
            Request("CONFIG", "SET", "bind", many),
            "-ERR CONFIG SET failed (possibly related to argument 'bind') - Too many bind addresses specified.\r\n");
        await ExpectAsync(client, Request("CONFIG", "SET", "bind", many[..many.LastIndexOf(' ')]), "+OK\r\n");
        Assert.Equal(16, server.EndPoints.Count);
    }

    // Both are taken together: neither the old port on the new address nor the new one on the old is listened on.
    [Fact]
    public async Task PortAndBind_AreOneChange()
    {
        await using var server = await StartAsync(RespTransport.Portable);
        var old = (IPEndPoint)server.EndPoints[0];
        int port = FindFreePort();
        using var a = Listen(IPAddress.Parse("127.77.0.2"), old.Port);
        using var b = Listen(IPAddress.Loopback, port);
        using var client = await ConnectAsync(old);

        await ExpectAsync(client, $"CONFIG SET bind 127.77.0.2 port {port}", "+OK\r\n");

        Assert.Equal([IPEndPoint.Parse($"127.77.0.2:{port}")], server.EndPoints);
        await ExpectAsync(
            client, "CONFIG GET bind", "*2\r\n$4\r\nbind\r\n$10\r\n127.77.0.2\r\n");
    }

    // A listener that stands for an address is in the way of one for all of them.
    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Bind_ToAllAddressesAndBack_Listens(RespTransport transport)
    {
        await using var server = await StartAsync(transport);
        int port = ((IPEndPoint)server.EndPoints[0]).Port;
        using var client = await ConnectAsync(server.EndPoints[0]);

        foreach (string bind in (string[])["*", "127.77.0.2 127.0.0.1", "* ::*", "-192.0.2.1 127.0.0.1"])
        {
            await ExpectAsync(client, Request("CONFIG", "SET", "bind", bind), "+OK\r\n");
            using var next = await ConnectAsync(new IPEndPoint(IPAddress.Loopback, port));
            await ExpectAsync(next, "PING", "+PONG\r\n");
        }
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Bind_ToAllAddressesOfWhichOneIsTaken_OpensTheOldOneAgain(RespTransport transport)
    {
        await using var server = await StartAsync(transport);
        var old = (IPEndPoint)server.EndPoints[0];
        using var other = Listen(IPAddress.Parse("127.77.0.3"), old.Port);
        using var client = await ConnectAsync(old);

        await ExpectAsync(client, "CONFIG SET bind *", BindRefused);

        Assert.Equal([old], server.EndPoints);
        using var next = await ConnectAsync(old);
        await ExpectAsync(next, "CONFIG GET bind", "*2\r\n$4\r\nbind\r\n$9\r\n127.0.0.1\r\n");
    }

    [Fact]
    public async Task Port0_ListensNoMore_TheUnixSocketStays()
    {
        using var folder = new TemporaryFolder();
        string path = folder.PathOf("s");
        await using var server = await StartAsync(RespTransport.Portable, unixSocket: path);
        var old = (IPEndPoint)server.EndPoints[0];
        using var client = await ConnectAsync(old);

        await ExpectAsync(client, "CONFIG SET port 0", "+OK\r\n");

        await Assert.ThrowsAnyAsync<SocketException>(() => ConnectAsync(old));
        using var unix = await ConnectAsync(new UnixDomainSocketEndPoint(path));
        Assert.Contains("tcp_port:0\r\n", await SendAsync(unix, "INFO server"), StringComparison.Ordinal);
        await ExpectAsync(unix, $"CONFIG SET port {old.Port}", "+OK\r\n");
        using var next = await ConnectAsync(old);
        await ExpectAsync(next, "PING", "+PONG\r\n"); // Accepted: what still waits for that goes with its listener.
        await ExpectAsync(unix, Request("CONFIG", "SET", "bind", ""), "+OK\r\n");
        await Assert.ThrowsAnyAsync<SocketException>(() => ConnectAsync(old));
        await ExpectAsync(next, "PING", "+PONG\r\n");
        await ExpectAsync(unix, "CONFIG SET bind 127.0.0.1", "+OK\r\n");
        using var last = await ConnectAsync(old);
    }

    [Fact]
    public async Task Bind_IsForTlsToo_PortIsNot()
    {
        using var certificates = new TestCertificates();
        await using var server = await TlsServer.StartAsync(certificates, RespTransport.Portable, o => o.Port = 0);
        int tlsPort = ((IPEndPoint)server.Server.TlsEndPoints[0]).Port;
        var plain = server.Server.EndPoints.Except(server.Server.TlsEndPoints).Single();
        using var client = await ConnectAsync(plain);
        int port = FindFreePort();

        await ExpectAsync(client, $"CONFIG SET bind 127.77.0.2 port {port}", "+OK\r\n");

        Assert.Equal([IPEndPoint.Parse($"127.77.0.2:{tlsPort}")], server.Server.TlsEndPoints);
        using (var tls = await server.ConnectAsync())
            await tls.ExpectAsync("PING\r\n", "+PONG\r\n");
        await ExpectAsync(client, $"CONFIG SET port {tlsPort}", PortRefused);
        await ExpectAsync(client, "CONFIG SET port 0", "+OK\r\n");
        Assert.Equal(server.Server.TlsEndPoints, server.Server.EndPoints);
    }

    [Fact]
    public async Task TlsPort_MovesWhereThereAreCertificates()
    {
        using var certificates = new TestCertificates();
        await using var server = await TlsServer.StartAsync(certificates, RespTransport.Portable, o => o.Port = 0);
        var plain = server.Server.EndPoints.Except(server.Server.TlsEndPoints).Single();
        using var client = await ConnectAsync(plain);
        using var before = await server.ConnectAsync();
        int port = FindFreePort();

        await ExpectAsync(client, $"CONFIG SET tls-port {port}", "+OK\r\n");

        Assert.Equal([new IPEndPoint(IPAddress.Loopback, port)], server.Server.TlsEndPoints);
        using var after = await server.ConnectAsync();
        await after.ExpectAsync("PING\r\n", "+PONG\r\n");
        await before.ExpectAsync("PING\r\n", "+PONG\r\n");
    }

    // The reply, which is Redis's, sends the administrator to the log.
    [Fact]
    public async Task TlsPort_WithoutCertificates_IsRefusedAndTheLogSaysWhy()
    {
        await using var server = await StartAsync(RespTransport.Portable);
        using var plainClient = await ConnectAsync(server.EndPoints[0]);
        await ExpectAsync(
            plainClient,
            "CONFIG SET tls-port 7001",
            "-ERR CONFIG SET failed (possibly related to argument 'tls-port') - "
            + "Unable to update TLS configuration. Check server logs.\r\n");
        Assert.Contains(
            "CONFIG SET refused, the addresses are unchanged: tls-port has 7001; the server was started without a "
            + "certificate. Start it with one.",
            _log.Messages);
        await ExpectAsync(plainClient, "CONFIG SET tls-port 0", "+OK\r\n");
    }

    // Who connects to an address that stays is never turned away, however often the others change.
    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Bind_WhileClientsArrive_TurnsNobodyAway(RespTransport transport)
    {
        await using var server = await StartAsync(transport);
        var stays = (IPEndPoint)server.EndPoints[0];
        using var client = await ConnectAsync(stays);
        var arriving = Task.Run(async () =>
        {
            for (int i = 0; i < 200; i++)
            {
                using var one = await ConnectAsync(stays);
                await ExpectAsync(one, "PING", "+PONG\r\n");
            }
        }, Token);

        for (int changes = 0; !arriving.IsCompleted || changes < 20; changes++)
        {
            string bind = changes % 2 == 0 ? "127.0.0.1 127.77.0.2" : "127.0.0.1";
            await ExpectAsync(client, Request("CONFIG", "SET", "bind", bind), "+OK\r\n");
        }

        await arriving;
    }

    // Also of a listener that comes later.
    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task KeepAlive_IsThatOfConnectionsThatComeFromThenOn(RespTransport transport)
    {
        if (!OperatingSystem.IsLinux())
            return;
        await using var server = await StartAsync(transport);
        using var client = await ConnectAsync(server.EndPoints[0]);
        await ExpectAsync(client, "PING", "+PONG\r\n");
        Assert.Equal((1, 300), ReadKeepAlive(server, id: 1));

        await ExpectAsync(client, "CONFIG SET tcp-keepalive 77", "+OK\r\n");
        using var second = await ConnectAsync(server.EndPoints[0]);
        await ExpectAsync(second, "PING", "+PONG\r\n");
        await ExpectAsync(client, $"CONFIG SET port {FindFreePort()}", "+OK\r\n");
        using var third = await ConnectAsync(server.EndPoints[0]);
        await ExpectAsync(third, "PING", "+PONG\r\n");
        await ExpectAsync(client, "CONFIG SET tcp-keepalive 0", "+OK\r\n");
        using var fourth = await ConnectAsync(server.EndPoints[0]);
        await ExpectAsync(fourth, "PING", "+PONG\r\n");

        Assert.Equal((1, 77), ReadKeepAlive(server, id: 2));
        Assert.Equal((1, 77), ReadKeepAlive(server, id: 3));
        Assert.Equal(0, ReadKeepAlive(server, id: 4).IsOn);
    }

    [Fact]
    public async Task Change_WhileTheServerStops_IsRefused()
    {
        await using var server = await StartAsync(RespTransport.Portable);
        await server.StopAsync(Token);

        Assert.False(server.State.Listen!(new ListenPlace(FindFreePort(), 0, "127.0.0.1")));
        Assert.Empty(server.EndPoints);
    }

    private async Task<RespServer> StartAsync(
        RespTransport transport, string bind = "127.0.0.1", string? unixSocket = null)
    {
        var options = new RespServerOptions
        {
            Port = 0,
            Bind = [bind],
            UnixSocketPath = unixSocket,
            Transport = transport,
        };
        var server = new RespServer(_store, options, _log);
        await server.StartAsync(Token);
        return server;
    }

    private static (int IsOn, int Seconds) ReadKeepAlive(RespServer server, long id)
    {
        using var handle = new SafeSocketHandle(server.State.Clients.Find(id)!.Descriptor, ownsHandle: false);
        var socket = new Socket(handle);
        return (
            (int)socket.GetSocketOption(SocketOptionLevel.Socket, SocketOptionName.KeepAlive)!,
            (int)socket.GetSocketOption(SocketOptionLevel.Tcp, SocketOptionName.TcpKeepAliveTime)!);
    }

    private static int FindFreePort()
    {
        using var socket = Listen(IPAddress.Loopback, 0);
        return ((IPEndPoint)socket.LocalEndPoint!).Port;
    }

    private static Socket Listen(IPAddress address, int port)
    {
        var socket = new Socket(address.AddressFamily, SocketType.Stream, ProtocolType.Tcp);
        socket.Bind(new IPEndPoint(address, port));
        socket.Listen();
        return socket;
    }

    private static async Task<Socket> ConnectAsync(EndPoint endPoint)
    {
        var protocol = endPoint is UnixDomainSocketEndPoint ? ProtocolType.Unspecified : ProtocolType.Tcp;
        var client = new Socket(endPoint.AddressFamily, SocketType.Stream, protocol);
        try
        {
            await client.ConnectAsync(endPoint, Token);
            return client;
        }
        catch
        {
            client.Dispose();
            throw;
        }
    }

    private static string Request(params string[] words) => string.Create(
        CultureInfo.InvariantCulture,
        $"*{words.Length}\r\n{string.Concat(words.Select(static word => $"${word.Length}\r\n{word}\r\n"))}");

    private static async Task ExpectAsync(Socket client, string request, string reply) =>
        Assert.Equal(reply, await SendAsync(client, request));

    private static async Task<string> SendAsync(Socket client, string request)
    {
        await client.SendAsync(Encoding.ASCII.GetBytes(request.EndsWith('\n') ? request : $"{request}\r\n"), Token);
        var reply = new StringBuilder();
        byte[] bytes = new byte[4096];
        do
        {
            int length = await client.ReceiveAsync(bytes, Token);
            Assert.NotEqual(0, length);
            reply.Append(Encoding.ASCII.GetString(bytes, 0, length));
        }
        while (client.Available > 0 || reply[^1] != '\n');
        return reply.ToString();
    }
}
