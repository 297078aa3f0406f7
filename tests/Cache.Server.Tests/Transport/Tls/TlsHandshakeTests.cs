using System.Net.Sockets;
using System.Security.Authentication;
using Cache.Testing;

namespace Cache.Server.Tests.Transport.Tls;

/// <summary>What becomes of clients that do not get through their handshake, and of the others meanwhile.</summary>
public sealed class TlsHandshakeTests : IDisposable
{
    private readonly TestCertificates _certificates = new();

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public void Dispose() => _certificates.Dispose();

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task SilentClient_DelaysNobodyAndIsCutOffInTime(RespTransport transport)
    {
        var clock = new FakeTimeProvider();
        await using var server = await TlsServer.StartAsync(_certificates, transport, clock: clock);
        using var silent = await server.ConnectRawAsync();
        using var other = await server.ConnectAsync();
        await other.ExpectAsync("PING\r\n", "+PONG\r\n");
        await server.AwaitRepliesSentAsync();

        clock.Advance(9_000);
        var receiving = ReceiveEndAsync(silent);
        Assert.Equal(0, server.FailedHandshakes);
        await AdvanceUntilAsync(clock, receiving);

        await WaitForFailuresAsync(server, 1);
        await other.ExpectAsync("PING\r\n", "+PONG\r\n");
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task PlainClient_IsToldToTheOperator(RespTransport transport)
    {
        using var log = new MessageLog();
        await using var server = await TlsServer.StartAsync(_certificates, transport, loggers: log);
        using var plain = await server.ConnectRawAsync();

        await plain.SendAsync("*1\r\n$4\r\nPING\r\n"u8.ToArray(), Token);
        await WaitForFailuresAsync(server, 1);
        await ReceiveEndAsync(plain);

        Assert.Contains(
            log.Messages,
            static line => line.Contains("does not speak TLS on a TLS port", StringComparison.Ordinal));
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task ManySilentClients_HoldNoThread(RespTransport transport)
    {
        await using var server = await TlsServer.StartAsync(_certificates, transport);
        var silent = new List<Socket>();
        for (int i = 0; i < 100; i++)
            silent.Add(await server.ConnectRawAsync());

        using var other = await server.ConnectAsync();
        await other.ExpectAsync("PING\r\n", "+PONG\r\n");

        silent.ForEach(static socket => socket.Dispose());
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task HalfAHandshake_ThenSilence_IsCutOffInTime(RespTransport transport)
    {
        var clock = new FakeTimeProvider();
        await using var server = await TlsServer.StartAsync(_certificates, transport, clock: clock);
        using var half = await server.ConnectRawAsync();

        // The header of a hello of 512 bytes, and its beginning.
        await half.SendAsync(new byte[] { 22, 3, 1, 2, 0, 1, 0, 1, 252 }, Token);
        await AdvanceUntilAsync(clock, ReceiveEndAsync(half));

        await WaitForFailuresAsync(server, 1);
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task HalfAHandshake_ThenTheEnd_IsCountedAndDisturbsNobody(RespTransport transport)
    {
        await using var server = await TlsServer.StartAsync(_certificates, transport);
        using (var half = await server.ConnectRawAsync())
            await half.SendAsync(new byte[] { 22, 3, 1, 2, 0, 1, 0, 1, 252 }, Token);

        await WaitForFailuresAsync(server, 1);
        using var other = await server.ConnectAsync();
        await other.ExpectAsync("PING\r\n", "+PONG\r\n");
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task PlainClient_OnTheTlsPort_IsClosedAtOnceAndCounted(RespTransport transport)
    {
        await using var server = await TlsServer.StartAsync(_certificates, transport);
        using var plain = await server.ConnectRawAsync();

        await plain.SendAsync("PING\r\n"u8.ToArray(), Token);

        await ReceiveEndAsync(plain);
        await WaitForFailuresAsync(server, 1);
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task OlderVersions_AreRefused(RespTransport transport)
    {
        await using var server = await TlsServer.StartAsync(_certificates, transport);
        using var old = await server.ConnectRawAsync();

        // A hello of TLS 1.1 without extensions, which some clients' libraries would not make any more.
        byte[] hello =
        [
            22, 3, 1, 0, 45, 1, 0, 0, 41, 3, 2, .. new byte[32], 0, 0, 2, 0xC0, 0x09, 1, 0,
        ];
        await old.SendAsync(hello, Token);

        // An alert of level 2: protocol version.
        byte[] alert = new byte[7];
        int count = await old.ReceiveAsync(alert, Token);
        Assert.Equal([21, 2, 70], new[] { alert[0], alert[5], alert[count - 1] });
        await ReceiveEndAsync(old);
        await WaitForFailuresAsync(server, 1);
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Version_ThatIsTurnedOff_IsRefused(RespTransport transport)
    {
        await using var server = await TlsServer.StartAsync(
            _certificates, transport, o => o.TlsProtocols = SslProtocols.Tls13);

        await Assert.ThrowsAnyAsync<Exception>(() => server.ConnectAsync(protocols: SslProtocols.Tls12));
        using var modern = await server.ConnectAsync(protocols: SslProtocols.Tls13);

        await modern.ExpectAsync("PING\r\n", "+PONG\r\n");
        await WaitForFailuresAsync(server, 1);
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task TwoHundredHandshakes_AtOnce_AllSucceed(RespTransport transport)
    {
        // The clock stands still: on a busy machine so many may together take longer than one is given.
        await using var server = await TlsServer.StartAsync(_certificates, transport, clock: new FakeTimeProvider());

        await Task.WhenAll(Enumerable.Range(0, 200).Select(async i =>
        {
            using var client = await server.ConnectAsync();
            await client.ExpectAsync($"ECHO {i:D3}\r\n", $"$3\r\n{i:D3}\r\n");
        }));

        Assert.Equal(0, server.FailedHandshakes);
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task ClientBeyondTheLimit_IsClosedWithoutAHandshake(RespTransport transport)
    {
        await using var server = await TlsServer.StartAsync(
            _certificates, transport, o => (o.MaxClients, o.ReservedClients) = (1, 0));
        using var first = await server.ConnectAsync();
        await first.ExpectAsync("PING\r\n", "+PONG\r\n");

        using var second = await server.ConnectRawAsync();

        await ReceiveEndAsync(second);
        Assert.Equal(0, server.FailedHandshakes);
        await first.ExpectAsync("PING\r\n", "+PONG\r\n");
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Stop_DuringAHandshake_DoesNotWaitForIt(RespTransport transport)
    {
        var clock = new FakeTimeProvider();
        await using var server = await TlsServer.StartAsync(_certificates, transport, clock: clock);
        using var silent = await server.ConnectRawAsync();
        using var other = await server.ConnectAsync();
        await other.ExpectAsync("PING\r\n", "+PONG\r\n");

        var stopping = server.Server.StopAsync(Token);

        await ReceiveEndAsync(silent);
        Assert.Equal("", await other.ReadToEndAsync());
        silent.Dispose();
        other.Dispose();
        await stopping;
    }

    // The peer may see the end before the failure is counted.
    private static async Task WaitForFailuresAsync(TlsServer server, long count)
    {
        await Polling.WhileAsync(() => server.FailedHandshakes < count);
        Assert.Equal(count, server.FailedHandshakes);
    }

    private static async Task AdvanceUntilAsync(FakeTimeProvider clock, Task end)
    {
        while (!end.IsCompleted)
        {
            clock.Advance(1000);
            await Task.Yield();
        }

        await end;
    }

    // By the end of the stream, after an alert perhaps, or by a reset.
    private static async Task ReceiveEndAsync(Socket socket)
    {
        byte[] bytes = new byte[100];
        try
        {
            while (await socket.ReceiveAsync(bytes, Token) > 0)
                continue;
        }
        catch (SocketException e)
        {
            Assert.Equal(SocketError.ConnectionReset, e.SocketErrorCode);
        }
    }
}
