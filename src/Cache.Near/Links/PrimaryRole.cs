using Cache.Client;
using Cache.Protocol;

namespace Cache.Near.Links;

/// <summary>The heartbeat of a server that has all keys: ROLE must say that it is a primary.</summary>
/// <remarks>After a failover the connection to the former primary stays open, answers PING, and has pushes.</remarks>
internal static class PrimaryRole
{
    public static async ValueTask VerifyAsync(
        NearContext context, RespConnection connection, bool forgets, CancellationToken token)
    {
        var request = new RespRequestWriter().Begin(1).Add("ROLE"u8);
        var reply = await connection.DemandAsync(request, "ROLE", token).ConfigureAwait(false);
        if (reply.Items is not [var role, ..] || !role.Is("master"u8))
            throw new RespClientException($"{connection.Address}, ROLE: the server is no primary");
        if (!forgets)
            return;
        context.Entries.Restart();
        context.Counters.AddClear();
    }
}
