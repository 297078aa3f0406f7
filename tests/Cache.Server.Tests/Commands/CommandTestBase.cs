using Cache.Core;
using Cache.Server.Commands.Dispatch;
using Cache.Testing;

namespace Cache.Server.Tests.Commands;

/// <summary>A test of commands on a small store and a server without sockets.</summary>
public abstract class CommandTestBase : IDisposable
{
    private readonly CacheStore _store;

    protected CommandTestBase()
    {
        _store = new CacheStore(
            new CacheOptions { MemoryLimitBytes = 16 << 20, ShardCount = 2 }, new FakeTimeProvider());
        Server = TestServerState.Create(_store);
        Client = new CommandClient(Server);
    }

    private protected ServerState Server { get; }

    private protected CommandClient Client { get; }

    public void Dispose()
    {
        _store.Dispose();
        GC.SuppressFinalize(this);
    }

    private protected CommandClient Connect() => new(Server);
}
