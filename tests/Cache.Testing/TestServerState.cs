using Cache.Core;
using Cache.Server.Commands;

namespace Cache.Testing;

/// <summary>A server's state without a server.</summary>
internal static class TestServerState
{
    public static ServerState Create(CacheStore store, ServerSettings? settings = null) =>
        new(store, settings ?? new ServerSettings(), CommandTable.Default, CommandFamilies.Handlers);
}
