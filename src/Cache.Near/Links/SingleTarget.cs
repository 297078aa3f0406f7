using Cache.Client;

namespace Cache.Near.Links;

/// <summary>A server that has all keys: the primary among those that are named.</summary>
internal sealed class SingleTarget(NearContext context, IReadOnlyList<ServerAddress> servers, int first) : ILinkTarget
{
    // Each attempt goes to the next one: a replica is refused by its role.
    private int _next = first;

    public ValueTask<ServerAddress> ResolveAsync(CancellationToken token) =>
        ValueTask.FromResult(servers[_next++ % servers.Count]);

    public ValueTask BeginAsync(NearLink link, RespConnection connection, CancellationToken token) => default;

    public ValueTask VerifyAsync(NearLink link, RespConnection connection, bool forgets, CancellationToken token) =>
        PrimaryRole.VerifyAsync(context, connection, forgets, token);

    public ValueTask DisposeAsync() => default;

    public override string ToString() => string.Join(',', servers);
}
