using Cache.Core;

namespace Cache.Server.Commands;

/// <summary>What all connections of a server share and commands may see.</summary>
internal sealed class ServerState(CacheStore store)
{
    public CacheStore Store { get; } = store;
}
