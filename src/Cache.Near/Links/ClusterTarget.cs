using Cache.Client;
using Cache.Protocol;

namespace Cache.Near.Links;

/// <summary>A primary of a cluster.</summary>
/// <remarks>
/// CLUSTER SLOTS of the primary itself is the heartbeat, compared slot by slot: a slot that another takes over by force
/// is deleted at the former owner without any push, and the epoch does not always change with it.
/// </remarks>
internal sealed class ClusterTarget(ClusterMap map, ServerAddress address) : ILinkTarget
{
    private string _nodeId = "";

    public ServerAddress Address => address;

    public ValueTask<ServerAddress> ResolveAsync(CancellationToken token) => ValueTask.FromResult(address);

    public async ValueTask BeginAsync(NearLink link, RespConnection connection, CancellationToken token)
    {
        var request = new RespRequestWriter().Begin(2).Add("CLUSTER"u8).Add("MYID"u8);
        _nodeId = (await connection.DemandAsync(request, "CLUSTER MYID", token).ConfigureAwait(false)).Text;
    }

    public async ValueTask VerifyAsync(
        NearLink link, RespConnection connection, bool forgets, CancellationToken token)
    {
        var request = new RespRequestWriter().Begin(2).Add("CLUSTER"u8).Add("SLOTS"u8);
        var reply = await connection.DemandAsync(request, "CLUSTER SLOTS", token).ConfigureAwait(false);
        var ranges = ClusterReplies.ReadSlots(reply, connection.Address);
        if (forgets)
            map.Forget(link);
        map.Apply(link, _nodeId, ranges);
    }

    public ValueTask DisposeAsync() => default;

    public override string ToString() => address.ToString();
}
