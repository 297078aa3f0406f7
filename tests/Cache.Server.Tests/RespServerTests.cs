using System.Net;
using System.Net.Sockets;
using Cache.Core;
using Cache.Server.Tests.Transport;
using Cache.Testing;

namespace Cache.Server.Tests;

public sealed class RespServerTests : IDisposable
{
    private readonly CacheStore _store = new(new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = 2 });

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public void Dispose() => _store.Dispose();

    [Fact]
    public void Construct_WithAnInvalidOption_ThrowsAndNamesIt()
    {
        var options = new RespServerOptions { MaxClients = 0 };

        var error = Assert.Throws<ArgumentException>(() => new RespServer(_store, options));

        Assert.Contains("RespServerOptions.MaxClients is 0", error.Message);
    }

    [Fact]
    public async Task Start_OnSeveralAddresses_AnswersOnEach()
    {
        using var folder = new TemporaryFolder();
        string path = folder.PathOf("s");
        string[] addresses = ["127.0.0.1", Loopback.HasVersion6 ? "::1" : "127.0.0.2"];
        var options = new RespServerOptions { Port = 0, Bind = addresses, UnixSocketPath = path };
        await using var server = new RespServer(_store, options);
        Assert.Empty(server.EndPoints);

        await server.StartAsync(Token);

        Assert.Equal(3, server.EndPoints.Count);
        foreach (var endPoint in server.EndPoints)
            Assert.Equal("+PONG\r\n", await ExchangeAsync(endPoint, "PING\r\nQUIT\r\n", 7));
        Assert.Equal(((IPEndPoint)server.EndPoints[0]).Port, server.State.Settings.Port);
        Assert.InRange(server.State.ProcessBaseBytes, 1 << 20, Environment.WorkingSet * 2);
        await server.StopAsync(Token);
        Assert.Empty(server.EndPoints);
        Assert.False(File.Exists(path));
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Start_WithALongerKeepAliveThanTheSystemTakes_Answers(RespTransport transport)
    {
        var options = new RespServerOptions
        {
            Port = 0,
            Transport = transport,
            TcpKeepAlive = TimeSpan.FromDays(7),
        };
        await using var server = new RespServer(_store, options);

        await server.StartAsync(Token);

        Assert.Equal("+PONG\r\n", await ExchangeAsync(server.EndPoints[0], "PING\r\n", 7));
    }

    [Fact]
    public async Task Start_WhereAnotherListens_NamesAddressAndPortAndListensNowhere()
    {
        // No other test listens on these, or connects from them.
        const string Free = "127.0.0.83";
        const string Taken = "127.0.0.84";
        using var taken = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        taken.Bind(new IPEndPoint(IPAddress.Parse(Taken), 0));
        taken.Listen();
        int port = ((IPEndPoint)taken.LocalEndPoint!).Port;
        var server = new RespServer(_store, new RespServerOptions { Port = port, Bind = [Free, Taken] });

        var error = await Assert.ThrowsAsync<IOException>(() => server.StartAsync(Token));

        Assert.StartsWith(
            $"RespServerOptions.Port is {port}; cannot listen on {Taken}:{port}: "
            + "another process listens there already.",
            error.Message);
        using var free = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        free.Bind(new IPEndPoint(IPAddress.Parse(Free), port));
    }

    // The system says of it that there is no such address.
    [Fact]
    public async Task Start_OnAUnixSocketInAMissingFolder_NamesTheFolder()
    {
        string folder = Path.Combine(Path.GetTempPath(), "cache-no-such-folder");
        await using var server = new RespServer(
            _store, new RespServerOptions { Bind = [], Port = null, UnixSocketPath = Path.Combine(folder, "s") });
        var error = await Assert.ThrowsAsync<IOException>(() => server.StartAsync(Token));
        Assert.EndsWith($": the folder {folder} does not exist.", error.Message);
    }

    [Fact]
    public async Task Start_OnAnAddressOfAnotherMachine_FailsUnlessItMayBeAbsent()
    {
        // An address of the block that is reserved for documentation.
        var strict = new RespServer(_store, new RespServerOptions { Port = 0, Bind = ["192.0.2.1"] });
        var error = await Assert.ThrowsAsync<IOException>(() => strict.StartAsync(Token));
        Assert.Contains("this machine does not have the address", error.Message);

        var options = new RespServerOptions { Port = 0, Bind = ["127.0.0.1", "-192.0.2.1"] };
        await using var lenient = new RespServer(_store, options);
        await lenient.StartAsync(Token);
        Assert.Single(lenient.EndPoints);
    }

    [Fact]
    public async Task Start_OnAddressesThatAreAllAbsent_Fails()
    {
        var server = new RespServer(_store, new RespServerOptions { Port = 0, Bind = ["-192.0.2.1", "-198.51.100.1"] });

        var error = await Assert.ThrowsAsync<IOException>(() => server.StartAsync(Token));

        Assert.Contains("-192.0.2.1 -198.51.100.1'; this machine has none of the addresses", error.Message);
    }

    [Fact]
    public async Task Start_WithManyProblems_TellsOfAll_AndMayBeTriedAgain()
    {
        using var folder = new TemporaryFolder();
        using var taken = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        taken.Bind(new IPEndPoint(IPAddress.Loopback, 0));
        taken.Listen();
        int port = ((IPEndPoint)taken.LocalEndPoint!).Port;
        string users = folder.PathOf("users.acl");
        File.WriteAllText(users, "user bob +nope\n");
        var options = new RespServerOptions
        {
            Port = port,
            Bind = ["127.0.0.1", "192.0.2.1"],
            AclFile = users,
            TlsPort = 0,
            TlsCertificateFile = folder.PathOf("c.pem"),
            TlsKeyFile = folder.PathOf("k.pem"),
            TlsCaCertificateFile = folder.PathOf("ca.pem"),
            UnixSocketPath = folder.PathOf("none/s"),
        };
        var server = new RespServer(_store, options);

        var error = await Assert.ThrowsAsync<IOException>(() => server.StartAsync(Token));

        string[] problems = [.. error.Message.Split('\n').Select(static one => one.Split(['(', ':'])[0].TrimEnd())];
        Assert.Equal(
            [
                $"RespServerOptions.AclFile is '{users}'; it cannot be used",
                $"RespServerOptions.TlsCertificateFile is '{options.TlsCertificateFile}'; it cannot be read",
                $"RespServerOptions.TlsKeyFile is '{options.TlsKeyFile}'; it cannot be read",
                $"RespServerOptions.TlsCaCertificateFile is '{options.TlsCaCertificateFile}'; it cannot be read",
                $"RespServerOptions.Port is {port}; cannot listen on 127.0.0.1",
                "RespServerOptions.Bind has '192.0.2.1'; this machine does not have the address.",
                $"RespServerOptions.UnixSocketPath is '{options.UnixSocketPath}'; cannot listen on it",
            ],
            problems);
        Assert.Empty(server.EndPoints);
        Assert.True(server.NeedsNoPassword);
        Assert.Equal(problems[..^1], options.FindStartProblems().Select(
            static one => one.Split(['(', ':'])[0].TrimEnd()));
    }

    [Theory]
    [InlineData("127.0.0.1", "127.0.0.1")]
    [InlineData("*", "127.0.0.1")]
    public async Task Start_OnAnAddressTwice_NamesTheSecond(string first, string second)
    {
        int port;
        using (var free = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp))
        {
            free.Bind(new IPEndPoint(IPAddress.Loopback, 0));
            port = ((IPEndPoint)free.LocalEndPoint!).Port;
        }

        var server = new RespServer(_store, new RespServerOptions { Port = port, Bind = [first, second] });

        var error = await Assert.ThrowsAsync<IOException>(() => server.StartAsync(Token));

        Assert.Equal(
            $"RespServerOptions.Bind has '{second}'; this server listens on 127.0.0.1:{port} already.", error.Message);
    }

    [Fact]
    public async Task Start_Twice_Throws()
    {
        await using var server = new RespServer(_store, new RespServerOptions { Port = 0 });
        await server.StartAsync(Token);

        await Assert.ThrowsAsync<InvalidOperationException>(() => server.StartAsync(Token));
    }

    [Fact]
    public async Task Stop_WithAClientConnected_AnswersWhatArrivedAndCloses()
    {
        var server = new RespServer(_store, new RespServerOptions { Port = 0 });
        await server.StartAsync(Token);
        using var client = await ConnectAsync(server.EndPoints[0]);
        await client.SendAsync("PING\r\nPING"u8.ToArray(), Token);
        byte[] reply = new byte[100];
        Assert.Equal(7, await client.ReceiveAsync(reply, Token));

        var stopping = server.StopAsync(Token);

        Assert.Equal(0, await client.ReceiveAsync(reply, Token));
        client.Dispose();
        await stopping;
        await server.StopAsync(Token);
    }

    [Fact]
    public async Task Stop_WhenTheFolderOfTheUnixSocketIsGone_EndsEverythingAllTheSame()
    {
        var folder = new TemporaryFolder();
        var options = new RespServerOptions { Port = 0, UnixSocketPath = folder.PathOf("s") };
        await using var server = new RespServer(_store, options);
        await server.StartAsync(Token);
        using var client = await ConnectAsync(server.EndPoints[0]);
        await client.SendAsync("PING\r\n"u8.ToArray(), Token); // So that it is no longer about to be accepted.
        Assert.Equal("+PONG\r\n".Length, await client.ReceiveAsync(new byte[100], Token));
        folder.Dispose();

        var receiving = client.ReceiveAsync(new byte[1], Token);
        await server.StopAsync(Token);

        Assert.Equal(0, await receiving);
        Assert.Empty(server.EndPoints);
    }

    // More than the client's system takes is on its way when the server stops, and the client goes on sending.
    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Stop_WithAClientThatGoesOnSending_LosesNoReply(RespTransport transport)
    {
        const int Length = 1_000_000;

        // The clock stands still: on a busy machine the client may need longer than a server that stops gives it.
        var options = new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = 2 };
        using var store = new CacheStore(options, new FakeTimeProvider());
        var server = new RespServer(store, new RespServerOptions { Port = 0, Transport = transport });
        await server.StartAsync(Token);
        using var client = await ConnectAsync(server.EndPoints[0], receiveBytes: 8192);
        byte[] key = "k"u8.ToArray();
        store.Set(key, new byte[Length]);
        await client.SendAsync("GET k\r\n"u8.ToArray(), Token);
        byte[] piece = new byte[4096];
        long received = await client.ReceiveAsync(piece, Token);

        var stopping = server.StopAsync(Token);

        int count = 0;
        do
        {
            received += count;
            if (received < Length)
                await client.SendAsync("*"u8.ToArray(), Token);
            count = await client.ReceiveAsync(piece, Token);
        }
        while (count > 0);
        Assert.Equal("$1000000\r\n".Length + Length + 2, received);
        client.Dispose();
        await stopping;
    }

    private static async Task<string> ExchangeAsync(EndPoint endPoint, string request, int replyLength)
    {
        using var client = await ConnectAsync(endPoint);
        await client.SendAsync(System.Text.Encoding.ASCII.GetBytes(request), Token);
        byte[] reply = new byte[replyLength];
        for (int received = 0; received < replyLength;)
            received += await client.ReceiveAsync(reply.AsMemory(received), Token);
        return System.Text.Encoding.ASCII.GetString(reply);
    }

    private static async Task<Socket> ConnectAsync(EndPoint endPoint, int? receiveBytes = null)
    {
        var protocol = endPoint is UnixDomainSocketEndPoint ? ProtocolType.Unspecified : ProtocolType.Tcp;
        var client = new Socket(endPoint.AddressFamily, SocketType.Stream, protocol);
        if (receiveBytes is { } bytes)
            client.ReceiveBufferSize = bytes;
        await client.ConnectAsync(endPoint, Token);
        return client;
    }
}
