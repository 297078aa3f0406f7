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

    /// <summary>The transports that this system has.</summary>
    public static TheoryData<RespTransport> Transports { get; } =
        [.. Enum.GetValues<RespTransport>().Where(IsOffered)];

    public static async Task<ServerFixture> StartAsync(RespTransport transport, RespServerOptions? options = null)
    {
        options ??= new RespServerOptions();
        options.Port = 0;
        options.Transport = transport;
        var fixture = new ServerFixture(options);
        await fixture.Server.StartAsync(TestContext.Current.CancellationToken);
        return fixture;
    }

    public Task<TcpConnection> ConnectAsync() => TcpConnection.OpenAsync((IPEndPoint)Server.EndPoints[0]);

    /// <summary>Each of the rows with each of the transports that this system has.</summary>
    public static TheoryData<T, RespTransport> WithTransports<T>(params T[] rows)
    {
        var data = new TheoryData<T, RespTransport>();
        foreach (var row in rows)
        {
            foreach (var transport in Enum.GetValues<RespTransport>().Where(IsOffered))
                data.Add(row, transport);
        }

        return data;
    }

    public async ValueTask DisposeAsync()
    {
        await Server.DisposeAsync();
        _store.Dispose();
    }

    private static bool IsOffered(RespTransport transport) =>
        new RespServerOptions { Transport = transport }.FindProblems().Count == 0;
}
