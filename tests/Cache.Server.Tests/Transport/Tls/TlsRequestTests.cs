using System.Security.Authentication;
using Cache.Testing;

namespace Cache.Server.Tests.Transport.Tls;

/// <summary>That requests and replies pass through TLS as they do without it.</summary>
public sealed class TlsRequestTests : IDisposable
{
    private readonly TestCertificates _certificates = new();

    public static TheoryData<RespTransport, SslProtocols> Versions { get; } = MakeVersions();

    public void Dispose() => _certificates.Dispose();

    [Theory]
    [MemberData(nameof(Versions))]
    public async Task PingSetGet_OverEachVersion_AreAnswered(RespTransport transport, SslProtocols version)
    {
        await using var server = await TlsServer.StartAsync(_certificates, transport);
        using var client = await server.ConnectAsync(protocols: version);

        await client.ExpectAsync("PING\r\n", "+PONG\r\n");
        await client.ExpectAsync("SET k v\r\nGET k\r\n", "+OK\r\n$1\r\nv\r\n");

        Assert.Equal(version, client.Protocol);
        Assert.Equal("CN=localhost", client.ServerCertificate.Subject);
        Assert.Equal(0, server.FailedHandshakes);
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task LargeValue_BothWays_ArrivesWhole(RespTransport transport)
    {
        const int Length = 10_000_000;
        await using var server = await TlsServer.StartAsync(_certificates, transport);
        using var client = await server.ConnectAsync();
        string value = string.Create(Length, 0, static (chars, _) =>
        {
            for (int i = 0; i < chars.Length; i++)
                chars[i] = (char)((uint)i * 2654435761 >> 24);
        });

        await client.ExpectAsync($"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n${Length}\r\n{value}\r\n", "+OK\r\n");
        await client.SendAsync("GET k\r\nPING\r\n");

        string expected = $"${Length}\r\n{value}\r\n+PONG\r\n";
        Assert.True(expected == await client.ReadAsync(expected.Length));
    }

    // Encrypted from where the value lies in the store, a piece at a time.
    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Clients_ThatDoNotRead_HoldTheSameValueOnce(RespTransport transport)
    {
        const int Length = 20_000_000;
        await using var server = await TlsServer.StartAsync(_certificates, transport, static options =>
        {
            options.ClientMemoryLimit = 16 * Length;
            options.OutputStallTimeout = TimeSpan.FromMinutes(10); // All four are waited for on a slow machine.
        });
        var store = server.Server.State.Store;
        byte[] value = new byte[Length];
        value.AsSpan().Fill((byte)'v');
        store.Set("k"u8, value);
        long before = store.GetStatistics().MemoryBytes;
        var clients = new List<TlsClient>();
        for (int i = 0; i < 4; i++)
        {
            clients.Add(await server.ConnectAsync());
            await clients[i].SendAsync("GET k\r\nGET k\r\n");
        }

        var pending = server.Server.State.Clients;
        await Polling.WhileAsync(
            () => pending.ToList().Count(static client => client.PendingOutputBytes >= Length) < 4);
        Assert.InRange(store.GetStatistics().MemoryBytes - before, 0, Length / 4);

        string expected = $"${Length}\r\n{new string('v', Length)}\r\n";
        Assert.True(expected + expected == await clients[0].ReadAsync(2 * expected.Length));
        clients.ForEach(static client => client.Dispose());
        await Polling.WhileAsync(() => server.Server.State.ClientMemory.Bytes > 0);
        Assert.InRange(store.GetStatistics().MemoryBytes - before, long.MinValue, Length / 4);
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Pipeline_LongerThanManyRecords_IsAnsweredInOrder(RespTransport transport)
    {
        const int Count = 20_000;
        await using var server = await TlsServer.StartAsync(_certificates, transport);
        using var client = await server.ConnectAsync();
        string requests = string.Concat(Enumerable.Range(1, Count).Select(static i => $"INCR n\r\nECHO {i}\r\n"));
        string replies = string.Concat(
            Enumerable.Range(1, Count).Select(static i => $":{i}\r\n${i.ToString().Length}\r\n{i}\r\n"));

        var sending = client.SendAsync(requests).AsTask();

        Assert.Equal(replies, await client.ReadAsync(replies.Length));
        await sending;
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Ports_PlainAndTlsSideBySide_ShareTheStore(RespTransport transport)
    {
        await using var server = await TlsServer.StartAsync(_certificates, transport, o => o.Port = 0);
        using var client = await server.ConnectAsync();
        await client.ExpectAsync("SET k v\r\n", "+OK\r\n");

        Assert.Equal(2, server.Server.EndPoints.Count);
        using var plain = new System.Net.Sockets.TcpClient();
        var token = TestContext.Current.CancellationToken;
        await plain.ConnectAsync(
            (System.Net.IPEndPoint)server.Server.EndPoints.Except(server.Server.TlsEndPoints).Single(), token);
        await plain.GetStream().WriteAsync("GET k\r\n"u8.ToArray(), token);
        byte[] reply = new byte[7];
        await plain.GetStream().ReadExactlyAsync(reply, token);
        Assert.Equal("$1\r\nv\r\n"u8.ToArray(), reply);
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Client_ThatComesAgainAndAgain_IsServed(RespTransport transport)
    {
        await using var server = await TlsServer.StartAsync(_certificates, transport);

        for (int i = 0; i < 3; i++)
        {
            using var client = await server.ConnectAsync();
            await client.ExpectAsync("PING\r\n", "+PONG\r\n");
            await client.EndSendingAsync();
            Assert.Equal("", await client.ReadToEndAsync());
        }

        Assert.Equal(0, server.FailedHandshakes);
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Info_AndConfig_TellOfTls(RespTransport transport)
    {
        await using var server = await TlsServer.StartAsync(_certificates, transport);
        using var client = await server.ConnectAsync();
        int port = ((System.Net.IPEndPoint)server.Server.TlsEndPoints[0]).Port;

        await client.SendAsync("INFO server\r\nINFO stats\r\nCONFIG GET tls-*\r\nQUIT\r\n");
        string all = await client.ReadToEndAsync();

        Assert.Contains($"\r\ntcp_port:{port}\r\n", all);
        Assert.Contains("\r\ntls_handshake_failures:0\r\n", all);
        Assert.Contains($"\r\ntls-port\r\n${port.ToString().Length}\r\n{port}\r\n", all);
        Assert.Contains($"\r\ntls-cert-file\r\n${_certificates.CertificateFile.Length}\r\n", all);
        Assert.Contains("\r\ntls-auth-clients\r\n$2\r\nno\r\n", all);
        Assert.Contains("\r\ntls-protocols\r\n$15\r\nTLSv1.2 TLSv1.3\r\n", all);
    }

    private static TheoryData<RespTransport, SslProtocols> MakeVersions()
    {
        var data = new TheoryData<RespTransport, SslProtocols>();
        foreach (var row in SocketPair.Transports)
        {
            data.Add(row.Data, SslProtocols.Tls12);
            data.Add(row.Data, SslProtocols.Tls13);
        }

        return data;
    }
}
