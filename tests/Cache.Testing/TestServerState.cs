using Cache.Core;
using Cache.Server.Commands;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Table;
using Cache.Server.Settings;

namespace Cache.Testing;

/// <summary>A server's state without a server.</summary>
internal static class TestServerState
{
    public static ServerState Create(CacheStore store, ServerSettings? settings = null) =>
        new(store, settings ?? new ServerSettings(), CommandTable.Default, CommandFamilies.Handlers);
}
