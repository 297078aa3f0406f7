using System.Net;
using System.Net.Sockets;
using Cache.Core;

namespace Cache.Server.Tests.Transport;

/// <summary>A store, a server for it over either transport, and clients by sockets.</summary>
public abstract class TransportTestBase : IDisposable
{
    protected static CancellationToken Token => TestContext.Current.CancellationToken;

    protected CacheStore Store { get; } = new(new CacheOptions { MemoryLimitBytes = 512 << 20 });

    public void Dispose()
    {
        Store.Dispose();
        GC.SuppressFinalize(this);
    }

    protected async Task<RespServer> StartAsync(RespTransport transport, int ioThreadCount = 2)
    {
        var options = new RespServerOptions { Port = 0, Transport = transport, IoThreadCount = ioThreadCount };
        var server = new RespServer(Store, options);
        await server.StartAsync(Token);
        return server;
    }

    protected static Socket Connect(RespServer server)
    {
        var client = new Socket(AddressFamily.InterNetwork, SocketType.Stream, ProtocolType.Tcp);
        client.Connect((IPEndPoint)server.EndPoints[0]);
        return client;
    }

    protected static async Task SendAllAsync(Socket socket, byte[] bytes)
    {
        for (int sent = 0; sent < bytes.Length;)
            sent += await socket.SendAsync(bytes.AsMemory(sent), Token);
    }

    protected static async Task ReceiveAllAsync(Socket socket, byte[] bytes)
    {
        for (int received = 0; received < bytes.Length;)
        {
            int count = await socket.ReceiveAsync(bytes.AsMemory(received), Token);
            Assert.NotEqual(0, count);
            received += count;
        }
    }
}
