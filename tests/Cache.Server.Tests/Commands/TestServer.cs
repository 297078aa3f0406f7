using Cache.Core;
using Cache.Server.Commands.Dispatch;
using Cache.Testing;

namespace Cache.Server.Tests.Commands;

/// <summary>A small store and the state of a server on it, without sockets.</summary>
internal sealed class TestServer : IDisposable
{
    private readonly CacheStore _store = new(
        new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = 2 }, new FakeTimeProvider());

    public TestServer() => State = TestServerState.Create(_store);

    public ServerState State { get; }

    public CommandClient Connect(int protocolVersion = 2)
    {
        var client = new CommandClient(State);
        client.Context.SetProtocolVersion(protocolVersion);
        return client;
    }

    public void Dispose() => _store.Dispose();
}
