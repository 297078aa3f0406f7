using System.Net.Sockets;
using System.Security.Authentication;
using Cache.Server.Transport;
using Cache.Testing;

namespace Cache.Server.Tests.Transport.Tls;

/// <summary>That connections with TLS end in all the ways that plain ones do.</summary>
public sealed class TlsConnectionEndTests : IDisposable
{
    private const byte AlertRecord = 21;

    private readonly TestCertificates _certificates = new();

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public void Dispose() => _certificates.Dispose();

    // With TLS 1.2, since 1.3 hides what an alert is.
    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Quit_IsAnsweredAndEndedByAnAlert(RespTransport transport)
    {
        await using var server = await TlsServer.StartAsync(_certificates, transport);
        using var client = await server.ConnectAsync(protocols: SslProtocols.Tls12);

        await client.SendAsync("PING\r\nQUIT\r\nPING\r\n");

        Assert.Equal("+PONG\r\n+OK\r\n", await client.ReadToEndAsync());
        Assert.Equal(AlertRecord, client.LastRecordType);
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Stop_AnswersWhatCameWholeAndEndsByAnAlert(RespTransport transport)
    {
        await using var server = await TlsServer.StartAsync(_certificates, transport);
        using var client = await server.ConnectAsync(protocols: SslProtocols.Tls12);
        await client.ExpectAsync("PING\r\n*1\r\n$4\r\nPI", "+PONG\r\n");

        var stopping = server.Server.StopAsync(Token);

        Assert.Equal("", await client.ReadToEndAsync());
        Assert.Equal(AlertRecord, client.LastRecordType);
        client.Dispose();
        await stopping;
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task ClientThatEndsSending_GetsWhatItAskedFor(RespTransport transport)
    {
        const int Count = 1000;
        foreach (var version in (SslProtocols[])[SslProtocols.Tls12, SslProtocols.Tls13])
        {
            await using var server = await TlsServer.StartAsync(_certificates, transport);
            using var client = await server.ConnectAsync(protocols: version);

            await client.SendAsync(string.Concat(Enumerable.Repeat("PING\r\n", Count)) + "*1\r\n$4\r\nPI");
            await client.EndSendingAsync();

            Assert.Equal(string.Concat(Enumerable.Repeat("+PONG\r\n", Count)), await client.ReadToEndAsync());
        }
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task ClientThatEndsTcpWithoutAnAlert_GetsWhatItAskedFor(RespTransport transport)
    {
        await using var server = await TlsServer.StartAsync(_certificates, transport);
        using var client = await server.ConnectAsync();

        await client.SendAsync("PING\r\n");
        client.Socket.Shutdown(SocketShutdown.Send);

        Assert.Equal("+PONG\r\n", await client.ReadToEndAsync());
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task ClientThatDiesWithinARecord_DisturbsNobody(RespTransport transport)
    {
        await using var server = await TlsServer.StartAsync(_certificates, transport);
        using var bystander = await server.ConnectAsync();
        await bystander.ExpectAsync("SET k v\r\n", "+OK\r\n");

        for (int bytes = 1; bytes < 40; bytes += 3)
        {
            using var client = await server.ConnectAsync();
            await client.ExpectAsync("PING\r\n", "+PONG\r\n");
            await client.SendPartAsync("SET k other\r\n", bytes % 30);
            client.Socket.Shutdown(SocketShutdown.Send);
            await ReadToAnyEndAsync(client);
        }

        await bystander.ExpectAsync("GET k\r\n", "$1\r\nv\r\n");
        await WaitForClientsAsync(server, 1);
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Garbage_AfterTheHandshake_EndsTheConnectionOnly(RespTransport transport)
    {
        await using var server = await TlsServer.StartAsync(_certificates, transport);
        using var bystander = await server.ConnectAsync();
        using var client = await server.ConnectAsync();
        await client.ExpectAsync("PING\r\n", "+PONG\r\n");

        // A record whose text nobody encrypted, and something that is no record.
        await client.Socket.SendAsync(new byte[] { 23, 3, 3, 0, 30 }.Concat(new byte[30]).ToArray(), Token);
        await ReadToAnyEndAsync(client);
        using var other = await server.ConnectAsync();
        await other.ExpectAsync("PING\r\n", "+PONG\r\n");
        await other.Socket.SendAsync("PING\r\n"u8.ToArray(), Token);
        await ReadToAnyEndAsync(other);

        await bystander.ExpectAsync("PING\r\n", "+PONG\r\n");
        await WaitForClientsAsync(server, 1);
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task ClientKill_EndsTheOther(RespTransport transport)
    {
        await using var server = await TlsServer.StartAsync(_certificates, transport);
        using var victim = await server.ConnectAsync();
        await victim.ExpectAsync("CLIENT ID\r\n", ":1\r\n");
        using var killer = await server.ConnectAsync();

        await killer.ExpectAsync("CLIENT KILL ID 1\r\n", ":1\r\n");

        await ReadToAnyEndAsync(victim);
        await WaitForClientsAsync(server, 1);
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task SilentClient_IsDisconnectedAfterTheTimeout(RespTransport transport)
    {
        var clock = new FakeTimeProvider();
        await using var server = await TlsServer.StartAsync(
            _certificates, transport, o => o.Timeout = TimeSpan.FromSeconds(60), clock);
        using var client = await server.ConnectAsync();
        await client.ExpectAsync("PING\r\n", "+PONG\r\n");
        await server.AwaitRepliesSentAsync();

        clock.Advance(59_000);
        await client.ExpectAsync("PING\r\n", "+PONG\r\n");
        await server.AwaitRepliesSentAsync();
        clock.Advance(62_000);

        await ReadToAnyEndAsync(client);
        Assert.Equal(0, server.FailedHandshakes);
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task HalfARecord_ThenSilence_IsHalfARequest(RespTransport transport)
    {
        var clock = new FakeTimeProvider();
        await using var server = await TlsServer.StartAsync(_certificates, transport, clock: clock);
        using var client = await server.ConnectAsync();
        await client.ExpectAsync("PING\r\n", "+PONG\r\n");
        await server.AwaitRepliesSentAsync();
        var connection = Assert.Single(server.Server.Connections.ToList());
        var session = connection.Client!;

        // After a long silence, which is nothing to complain of, a part is silence's beginning only.
        clock.Advance(1_000_000);
        await client.SendPartAsync("PING\r\n", 10);
        await AdvanceToTheFirstMomentOfAPartAsync(clock, connection.Transport);
        clock.Advance(29_000);
        Assert.False(session.IsKilled);

        clock.Advance(3_000);
        Assert.True(session.IsKilled);
        await ReadToAnyEndAsync(client);
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task ReplyBeyondTheLimit_IsRefused(RespTransport transport)
    {
        await using var server = await TlsServer.StartAsync(
            _certificates, transport, o => o.OutputBufferLimit = RespServerOptions.BufferLimitMin);
        using var client = await server.ConnectAsync();
        await SetLongValueAsync(client);

        await client.SendAsync("MGET k k k k\r\nQUIT\r\n");

        string replies = await client.ReadToEndAsync();
        Assert.StartsWith("-ERR ", replies, StringComparison.Ordinal);
        Assert.EndsWith("\r\n+OK\r\n", replies, StringComparison.Ordinal);
        Assert.InRange(replies.Length, 10, 200);
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task ClientThatTakesNoReplies_IsDisconnected(RespTransport transport)
    {
        var clock = new FakeTimeProvider();
        await using var server = await TlsServer.StartAsync(
            _certificates, transport, o => o.OutputStallTimeout = TimeSpan.FromSeconds(30), clock);
        using var client = await server.ConnectAsync();
        await SetLongValueAsync(client);

        // More than the systems at both ends hold.
        await client.SendAsync(string.Concat(Enumerable.Repeat("GET k\r\n", 40)));
        while (server.Server.State.Clients.Count > 0)
        {
            clock.Advance(1000);
            await Task.Delay(1, Token);
        }
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Stop_WithAClientThatTakesNoReplies_CutsItOff(RespTransport transport)
    {
        await using var server = await TlsServer.StartAsync(
            _certificates, transport, o => o.DrainTimeout = TimeSpan.FromMilliseconds(50));
        using var client = await server.ConnectAsync();
        await SetLongValueAsync(client);
        await client.SendAsync(string.Concat(Enumerable.Repeat("GET k\r\n", 40)));

        await server.Server.StopAsync(Token);

        Assert.Equal(0, server.Server.State.Clients.Count);
    }

    // A million bytes.
    private static Task SetLongValueAsync(TlsClient client) =>
        client.ExpectAsync($"*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1000000\r\n{new string('v', 1_000_000)}\r\n", "+OK\r\n");

    // Once the server has the part, whenever that is, it is as old as the last step.
    private static async Task AdvanceToTheFirstMomentOfAPartAsync(
        FakeTimeProvider clock, TransportConnection connection)
    {
        while (connection.PartialInputAge == TimeSpan.Zero)
        {
            await Task.Delay(1, Token);
            clock.Advance(1);
        }

        Assert.InRange(connection.PartialInputAge.TotalMilliseconds, 1, 2);
    }

    private static async Task WaitForClientsAsync(TlsServer server, int count)
    {
        await Polling.WhileAsync(() => server.Server.State.Clients.Count != count);
    }

    // By an alert, by the end of the stream, or by a reset.
    private static async Task ReadToAnyEndAsync(TlsClient client)
    {
        try
        {
            await client.ReadToEndAsync();
        }
        catch (IOException)
        {
            // That is an end too.
        }
    }
}
