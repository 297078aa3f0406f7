using System.Diagnostics;
using System.Net;
using Cache.Core;
using Cache.Server;
using Cache.Testing;

namespace Cache.Concurrency.Tests.Histories;

/// <summary>A server on a port of the loopback interface, over a store of its own.</summary>
internal sealed class HistoryServer : IAsyncDisposable
{
    private static readonly TimeSpan _patience = TimeSpan.FromSeconds(30);

    private readonly RespServer _server;

    private HistoryServer(RespTransport transport, long memoryLimitBytes)
    {
        Store = new CacheStore(new CacheOptions { MemoryLimitBytes = memoryLimitBytes });
        _server = new RespServer(Store, new RespServerOptions { Port = 0, Transport = transport });
    }

    public CacheStore Store { get; }

    public IPEndPoint EndPoint => (IPEndPoint)_server.EndPoints[0];

    /// <summary>The transports that this system has.</summary>
    public static IEnumerable<RespTransport> Transports => Enum.GetValues<RespTransport>().Where(static transport =>
        new RespServerOptions { Transport = transport }.FindProblems().Count == 0);

    public static async Task<HistoryServer> StartAsync(RespTransport transport, long memoryLimitBytes)
    {
        var server = new HistoryServer(transport, memoryLimitBytes);
        await server._server.StartAsync(CancellationToken.None);
        return server;
    }

    /// <summary>A client that asks and waits; another thread may cut it off in the middle.</summary>
    public RespConnection Connect() => new(EndPoint, _patience);

    /// <summary>Waits until connections that were cut off have done all that they will ever do.</summary>
    public void AwaitConnections(int count)
    {
        long start = Stopwatch.GetTimestamp();
        while (_server.State.Clients.Count > count)
        {
            if (Stopwatch.GetElapsedTime(start) > _patience)
                throw new TimeoutException($"{_server.State.Clients.Count} connections are left, not {count}.");
            Thread.Yield();
        }
    }

    public async ValueTask DisposeAsync()
    {
        await _server.DisposeAsync();
        Store.Dispose();
    }
}
