using System.Net;
using System.Net.Sockets;
using System.Text;
using Cache.Core;
using Cache.Server.Tests.Connections;
using Cache.Server.Tests.Transport;
using Cache.Server.Tests.Transport.Tls;
using Cache.Testing;

namespace Cache.Server.Tests;

/// <summary>A server whose store is disposed before it is stopped.</summary>
public sealed class DisposedStoreTests : ConnectionTestBase
{
    private const string Warning = "The store was disposed while the server ran: the server stops";
    private const string Error = "-ERR the store of this server was disposed\r\n";

    // What takes so long on the slowest machine does not happen.
    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(20);

    private static readonly InMemoryBounds _shared = new() { SharesThread = true };

    private readonly MessageLog _log = new();

    private static CancellationToken Token => TestContext.Current.CancellationToken;

    private int WarningCount => _log.Messages.Count(static message => message == Warning);

    // A common request, one alone, one over all keys, and one that is elsewhere.
    [Theory]
    [InlineData("GET", "a")]
    [InlineData("INCR", "a")]
    [InlineData("DBSIZE")]
    [InlineData("KEYS", "*")]
    public async Task Command_AfterTheStoresDisposal_GetsAnErrorAndTheEnd(params string[] command)
    {
        await using var server = await StartAsync(_shared);
        var client = server.Connect();
        Assert.Equal("+OK\r\n", client.Exchange(Request("SET", "a", "1")));
        var other = server.Connect();
        Store.Dispose();

        client.Send(Request(command) + Request("SET", "b", "2"));

        Assert.Equal(Error, Encoding.ASCII.GetString(await client.ReadAsync(Error.Length, Token)));
        await UntilAsync(() => client.ReadAll().Length == 0 && client.IsClosed);
        await UntilAsync(() => other.ReadAll().Length == 0 && other.IsClosed);
        await server.Server.StopAsync(Token);
        Assert.Equal(1, WarningCount);
        Assert.DoesNotContain(_log.Messages, static message => message.EndsWith("threw", StringComparison.Ordinal));
    }

    [Fact]
    public async Task Sweep_AfterTheStoresDisposal_EndsClientsThatAskForNothing()
    {
        await using var server = await StartAsync(_shared);
        var clients = new[] { server.Connect(), server.Connect() };
        Store.Dispose();

        Clock.Advance(TimeSpan.FromSeconds(1));
        Clock.Advance(TimeSpan.FromSeconds(1));

        foreach (var client in clients)
            await UntilAsync(() => client.ReadAll().Length == 0 && client.IsClosed);
        await server.Server.StopAsync(Token);
        Assert.Equal(1, WarningCount);
    }

    // Its memory is asked of the store before it has come whole.
    [Fact]
    public async Task LongArgument_OfADisposedStore_EndsItsConnection()
    {
        await using var server = await StartAsync(_shared);
        var clients = new[] { server.Connect(), server.Connect() };
        string request = Request("SET", "a", new string('x', 300_000));
        clients[0].Send(request[..200_000]);
        Store.Dispose();

        clients[0].Send(request[200_000..]);
        clients[1].Send(request[..200_000]);

        foreach (var client in clients)
        {
            await UntilAsync(() =>
            {
                string reply = Encoding.ASCII.GetString(client.ReadAll());
                Assert.True(reply is "" or Error, reply);
                return client.IsClosed;
            });
        }
    }

    [Fact]
    public async Task Stop_BeforeTheStoresDisposal_WarnsOfNothing()
    {
        await using var server = await StartAsync(_shared);
        server.Connect();

        await server.Server.StopAsync(Token);
        Store.Dispose();
        Clock.Advance(TimeSpan.FromSeconds(5));

        Assert.Equal(0, WarningCount);
    }

    [Fact]
    public async Task Start_OnADisposedStore_Throws()
    {
        await using var server = new RespServer(Store, new RespServerOptions { Port = 0 });
        Store.Dispose();

        await Assert.ThrowsAsync<ObjectDisposedException>(() => server.StartAsync(Token));
        Assert.Empty(server.EndPoints);
    }

    [Theory]
    [MemberData(nameof(SocketPair.Transports), MemberType = typeof(SocketPair))]
    public async Task Server_OfADisposedStore_ListensNoMore(RespTransport transport)
    {
        using var store = new CacheStore(new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = 2 });
        await using var server = new RespServer(store, new RespServerOptions { Port = 0, Transport = transport });
        await server.StartAsync(Token);
        var endPoint = (IPEndPoint)server.EndPoints[0];
        using var tcp = new TcpClient();
        await tcp.ConnectAsync(endPoint, Token);

        store.Dispose();

        // Nothing is sent: the sweep sees it.
        Assert.Equal(0, await tcp.GetStream().ReadAsync(new byte[10], Token));
        await server.StopAsync(Token);
        await Assert.ThrowsAsync<SocketException>(async () =>
        {
            using var late = new TcpClient();
            await late.ConnectAsync(endPoint, Token);
        });
    }

    private Task<InMemoryServer> StartAsync(InMemoryBounds bounds) => InMemoryServer.StartAsync(
        Store, bounds: bounds, loggerFactory: _log);

    private static async Task UntilAsync(Func<bool> condition)
    {
        long start = TimeProvider.System.GetTimestamp();
        while (!condition())
        {
            Assert.True(TimeProvider.System.GetElapsedTime(start) < _patience, "The connection did not end.");
            await Task.Yield();
        }
    }
}
