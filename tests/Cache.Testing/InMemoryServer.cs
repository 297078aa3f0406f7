using System.Net;
using Cache.Core;
using Cache.Server;
using Microsoft.Extensions.Logging;

namespace Cache.Testing;

/// <summary>A whole server whose clients connect without sockets.</summary>
internal sealed class InMemoryServer : IAsyncDisposable
{
    private readonly InMemoryListener _listener;

    private InMemoryServer(RespServer server, InMemoryListener listener)
    {
        Server = server;
        _listener = listener;
    }

    public RespServer Server { get; }

    /// <summary>Starts a server.</summary>
    /// <param name="store">The store, which stays the caller's; its clock is the server's.</param>
    /// <param name="options">Limits; null for the defaults. Addresses are ignored.</param>
    /// <param name="bounds">The sizes of the connections' pipes; null for those of sockets.</param>
    /// <param name="loggerFactory">Where the server logs; null for nowhere.</param>
    public static async Task<InMemoryServer> StartAsync(
        CacheStore store, RespServerOptions? options = null, InMemoryBounds? bounds = null,
        ILoggerFactory? loggerFactory = null)
    {
        var listener = new InMemoryListener(bounds);
        var server = new RespServer(store, options ?? new RespServerOptions(), loggerFactory, () => [listener]);
        await server.StartAsync(CancellationToken.None);
        return new InMemoryServer(server, listener);
    }

    /// <summary>Connects a client; when this returns, the server serves it.</summary>
    /// <param name="address">Where it is; null for this machine.</param>
    public InMemoryClient Connect(IPAddress? address = null) => _listener.Connect(address);

    public ValueTask DisposeAsync() => Server.DisposeAsync();
}
