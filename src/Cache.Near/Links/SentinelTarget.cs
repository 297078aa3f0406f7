using Cache.Client;

namespace Cache.Near.Links;

/// <summary>The primary that sentinels name.</summary>
/// <remarks>
/// ROLE is not enough: a primary that was replaced by request says for some seconds that it is one. So sentinels are
/// asked with each heartbeat too; their answer counts at the next one, and none does not.
/// </remarks>
internal sealed class SentinelTarget(NearContext context) : ILinkTarget
{
    private readonly SentinelWatch _watch = new(context.Options.Servers);

    public async ValueTask<ServerAddress> ResolveAsync(CancellationToken token)
    {
        _watch.Forget();
        var lookup = new SentinelLookup(context.Options.Servers);
        await using (lookup.ConfigureAwait(false))
            return await lookup.FindPrimaryAsync(token).ConfigureAwait(false);
    }

    public ValueTask BeginAsync(NearLink link, RespConnection connection, CancellationToken token) => default;

    public async ValueTask VerifyAsync(
        NearLink link, RespConnection connection, bool forgets, CancellationToken token)
    {
        if (_watch.NamesAnother(connection.Address))
            throw new RespClientException($"{connection.Address}: sentinels name another primary");
        _watch.Look();
        await PrimaryRole.VerifyAsync(context, connection, forgets, token).ConfigureAwait(false);
    }

    public ValueTask DisposeAsync() => _watch.DisposeAsync();

    public override string ToString() => context.Options.Servers.ServiceName!;
}
