using Cache.Server.Commands;

namespace Cache.Server.Tests.Commands;

internal static class ClientRegistryExtensions
{
    /// <summary>Adds a client without a connection.</summary>
    public static ClientSession? TryAdd(this ClientRegistry clients, ClientEndPoints endPoints, Action abort) =>
        clients.TryAdd(endPoints, abort, static abort => ((Action)abort)());
}
