using Cache.Server.Clients;

namespace Cache.Server.Tests.Clients;

internal static class ClientRegistryExtensions
{
    /// <summary>Adds a client without a connection.</summary>
    public static ClientSession? TryAdd(this ClientRegistry clients, ClientEndPoints endPoints, Action abort) =>
        clients.TryAdd(endPoints, abort, static abort => ((Action)abort)());
}
