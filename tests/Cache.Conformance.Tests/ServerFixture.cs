using System.Net;
using Cache.Core;
using Cache.Server;

namespace Cache.Conformance.Tests;

/// <summary>A server on a port of the loopback interface that the system chooses, over a store of its own.</summary>
internal sealed class ServerFixture : IAsyncDisposable
{
    private readonly CacheStore _store = new(new CacheOptions { MemoryLimitBytes = 256 << 20 });

    private ServerFixture(RespServerOptions options) => Server = new RespServer(_store, options);

    public RespServer Server { get; }

    public static async Task<ServerFixture> StartAsync(RespServerOptions? options = null)
    {
        options ??= new RespServerOptions();
        options.Port = 0;
        var fixture = new ServerFixture(options);
        await fixture.Server.StartAsync(TestContext.Current.CancellationToken);
        return fixture;
    }

    public Task<TcpConnection> ConnectAsync() => TcpConnection.OpenAsync((IPEndPoint)Server.EndPoints[0]);

    public async ValueTask DisposeAsync()
    {
        await Server.DisposeAsync();
        _store.Dispose();
    }
}
