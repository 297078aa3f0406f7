using System.Net.Sockets;
using Cache.Server.Tests.Connections;
using Cache.Server.Transport.Linux;
using Cache.Testing;

namespace Cache.Server.Tests.Transport.Tls;

/// <summary>Long commands of clients that speak TLS: they are executed elsewhere as those of the others.</summary>
public sealed class TlsSuspensionTests : IDisposable
{
    private const string LongWrite = "SETRANGE long 600000 x\r\n";
    private const string LongWritten = ":600001\r\n";

    private readonly TestCertificates _certificates = new();

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    public void Dispose() => _certificates.Dispose();

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public Task Send_LongCommandsAmongShortOnes_AreAnsweredInOrder(RespTransport transport) =>
        RandomSeed.RunAsync(this, async seed =>
        {
            const int Clients = 8;
            await using var server = await TlsServer.StartAsync(_certificates, transport);
            string[] keys = Enumerable.Range(0, 3000).Select(static i => $"$8\r\nkey:{i:D4}\r\n").ToArray();
            string many = string.Concat(keys);
            string entries = string.Concat(keys.Select(static key => key + "$1\r\nv\r\n"));
            string requests =
                $"*6001\r\n$4\r\nMSET\r\n{entries}PING\r\n" + LongWrite + $"*3001\r\n$6\r\nEXISTS\r\n{many}"
                + "GETRANGE long 0 -1\r\nLCS key:0001 key:0002 LEN\r\nGET key:0007\r\nCOMMAND COUNT\r\nECHO end\r\n";
            int count = server.Server.State.Commands.All.Count(static command => !command.Name.Contains('|'));
            string replies = "+OK\r\n+PONG\r\n" + LongWritten + ":3000\r\n"
                + $"$600001\r\n{new string('\0', 600_000)}x\r\n:1\r\n$1\r\nv\r\n:{count}\r\n$3\r\nend\r\n";
            await Task.WhenAll(Enumerable.Range(seed, Clients).Select(async own =>
            {
                var random = new Random(own);
                using var client = await server.ConnectAsync();
                var reading = client.ReadAsync(replies.Length);
                for (int sent = 0; sent < requests.Length;)
                {
                    int length = Math.Min(random.Next(1, 50_000), requests.Length - sent);
                    await client.SendAsync(requests.Substring(sent, length));
                    sent += length;
                }

                Assert.True(replies == await reading);
            }));
            Assert.InRange(server.Server.Workers.Count, 2 * Clients, long.MaxValue);
        });

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Send_WhileAllWorkersAreBusy_DoesNotKeepOthers(RespTransport transport)
    {
        await using var server = await TlsServer.StartAsync(_certificates, transport, static o => o.IoThreadCount = 1);
        using var gate = new ManualResetEventSlim();
        var blocks = BusyWorkers.Block(server.Server, gate);
        using var client = await server.ConnectAsync();
        using var other = await server.ConnectAsync();

        await client.ExpectAsync("PING\r\n" + LongWrite + "QUIT\r\n", "+PONG\r\n");
        await other.ExpectAsync("PING\r\n", "+PONG\r\n");
        gate.Set();

        Assert.Equal(LongWritten + "+OK\r\n", await client.ReadToEndAsync());
        await blocks;
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Kill_WhileSuspended_LeavesTheRequestUndone(RespTransport transport)
    {
        await using var server = await TlsServer.StartAsync(_certificates, transport);
        using var gate = new ManualResetEventSlim();
        var blocks = BusyWorkers.Block(server.Server, gate);
        using var client = await server.ConnectAsync();
        await client.ExpectAsync("CLIENT ID\r\n", ":1\r\n");
        await client.ExpectAsync("PING\r\n" + LongWrite, "+PONG\r\n");
        using var other = await server.ConnectAsync();

        await other.ExpectAsync("CLIENT KILL ID 1\r\n", ":1\r\n");
        gate.Set();
        await blocks;

        await Polling.WhileAsync(() => server.Server.State.Clients.Count > 1);
        Assert.Equal(0, server.Server.State.Store.Count);
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Vanish_WhileSuspended_EndsTheConnectionAfterTheRequest(RespTransport transport)
    {
        await using var server = await TlsServer.StartAsync(_certificates, transport);
        using var gate = new ManualResetEventSlim();
        var blocks = BusyWorkers.Block(server.Server, gate);
        using (var client = await server.ConnectAsync())
            await client.ExpectAsync("PING\r\n" + LongWrite, "+PONG\r\n");

        gate.Set();
        await blocks;

        await Polling.WhileAsync(() => server.Server.State.Clients.Count > 0);
        Assert.Equal(0, server.Server.State.ClientMemory.Bytes);
    }

    // What lies in the system, the end among it, fits its buffers.
    public static TheoryData<RespTransport, int> Unread { get; } = EpollTransport.IsSupported
        ? new() { { RespTransport.Portable, 32 * 1024 }, { RespTransport.Epoll, 900 * 1024 } }
        : new() { { RespTransport.Portable, 32 * 1024 } };

    [Theory]
    [MemberData(nameof(Unread))]
    public async Task Wait_OfAClientThatSentMuchMoreAndClosed_Ends(RespTransport transport, int unreadBytes)
    {
        await using var server = await TlsServer.StartAsync(_certificates, transport);
        using var client = await server.ConnectAsync();
        await client.SendAsync("BLPOP list 0\r\n");
        await Polling.WhileAsync(() => server.Server.State.Waits.Count == 0);
        await client.SendAsync(new string(' ', unreadBytes));
        client.Socket.Shutdown(SocketShutdown.Send);

        while (server.Server.State.Clients.Count > 0)
            await Task.Delay(10, Token); // The sweep looks once a second.
    }

    // What was received ahead is executed behind the wait.
    [Theory]
    [MemberData(nameof(Unread))]
    public async Task Wait_WithRequestsBehindIt_AnswersThem(RespTransport transport, int unreadBytes)
    {
        await using var server = await TlsServer.StartAsync(_certificates, transport);
        using var client = await server.ConnectAsync();
        using var other = await server.ConnectAsync();
        int count = unreadBytes / "PING\r\n".Length;
        await client.SendAsync("BLPOP list 0\r\n");
        await Polling.WhileAsync(() => server.Server.State.Waits.Count == 0);
        var sending = client.SendAsync(string.Concat(Enumerable.Repeat("PING\r\n", count)));

        await other.ExpectAsync("RPUSH list x\r\n", ":1\r\n");

        string expected = "*2\r\n$4\r\nlist\r\n$1\r\nx\r\n" + string.Concat(Enumerable.Repeat("+PONG\r\n", count));
        Assert.True(expected == await client.ReadAsync(expected.Length));
        await sending;
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Stop_WhileSuspended_AnswersWhatWasReceived(RespTransport transport)
    {
        var server = await TlsServer.StartAsync(_certificates, transport);
        using var gate = new ManualResetEventSlim();
        var blocks = BusyWorkers.Block(server.Server, gate);
        using var client = await server.ConnectAsync();
        await client.ExpectAsync("PING\r\n" + LongWrite, "+PONG\r\n");

        var stopping = server.DisposeAsync();
        gate.Set();

        Assert.Equal(LongWritten, await client.ReadToEndAsync());
        await stopping;
        await blocks;
    }
}
