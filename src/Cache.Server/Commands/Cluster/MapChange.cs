using Cache.Protocol;
using Cache.Server.Clients;
using Cache.Server.Cluster;
using Cache.Server.Commands.Dispatch;
using Cache.Server.PubSub;

namespace Cache.Server.Commands.Cluster;

/// <summary>Replaces the map of a server that serves, in an order in which no slot ever has two owners.</summary>
/// <remarks>
/// <code>
///  1  while no command is under way: what the server loses is no longer its own, and what it gains not yet
///  2  who waits for a key that has left, or listens to its channels, is sent away
///  3  the keys of all slots that come or go are removed: a slot that moves starts empty
///  4  what it gains is its own
/// </code>
/// Who has called knows behind it that no command on a lost slot is still under way. Another call waits for this one.
/// </remarks>
internal static class MapChange
{
    /// <summary>Takes a map.</summary>
    /// <param name="map">The map.</param>
    /// <param name="server">A server of a cluster.</param>
    /// <param name="own">The visit of the caller's command; null: it is no command's.</param>
    /// <param name="keep">
    /// Keeps the map in its file, behind the first step; it says what went wrong, and then nothing is gained. Null: the
    /// map comes from there.
    /// </param>
    /// <param name="problem">Why it was not taken; null: it was, or it is the present one.</param>
    /// <returns>Whether it was taken.</returns>
    public static bool TryTake(
        SlotMap map, ServerState server, DatabaseVisit? own, Func<string?>? keep, out string? problem)
    {
        var cluster = server.Cluster!;
        lock (cluster.Changing)
        {
            var before = cluster.View;
            problem = FindProblem(before.Map, map);
            if (problem is not null || (map.Epoch == before.Map.Epoch && before.Map.HasSameOwners(map)))
                return false;
            var after = new SlotView(map, cluster.Self);
            bool[] moves = FindMoves(before, after);
            var between = new SlotView(
                before.Map.Reassign(moves, SlotMap.Nobody, before.Map.Epoch), cluster.Self);
            if (!server.Databases.TryAlone(own, () => Publish(between, cluster)))
            {
                problem = "commands of other clients took too long; nothing was changed, try again";
                return false;
            }

            server.Waits.Wake(key => moves[KeySlot.Of(key)]);
            EndListeners(moves, server);
            problem = keep?.Invoke();
            if (problem is not null)
                return false;
            RemoveKeys(moves, server);
            cluster.View = after;
            return true;
        }
    }

    private static string? FindProblem(SlotMap before, SlotMap map)
    {
        if (map.Epoch < before.Epoch)
            return $"has the epoch {map.Epoch}; it must be greater than {before.Epoch}, that of the present map";
        return map.Epoch == before.Epoch && !before.HasSameOwners(map)
            ? $"has the epoch {map.Epoch}, as the present map, and other owners; a change needs a greater one"
            : null;
    }

    private static bool Publish(SlotView view, ClusterState cluster)
    {
        cluster.View = view;
        return true;
    }

    // Into this server, or out of it. Of what others exchange it has no keys.
    private static bool[] FindMoves(SlotView before, SlotView after)
    {
        bool[] moves = new bool[KeySlot.Count];
        for (int slot = 0; slot < moves.Length; slot++)
            moves[slot] = before.Owns(slot) != after.Owns(slot);
        return moves;
    }

    // Their clients connect again, and ask who owns the slot.
    private static void EndListeners(bool[] moves, ServerState server)
    {
        foreach (var client in server.Clients.ToList())
        {
            if (client.Subscriptions is Subscriptions { ShardChannels: > 0 } subscriptions
                && server.Channels.HasShardChannel(subscriptions, name => moves[KeySlot.Of(name)]))
            {
                client.Kill();
            }
        }
    }

    // Those of database 0: a cluster has no other.
    private static void RemoveKeys(bool[] moves, ServerState server)
    {
        if (Array.IndexOf(moves, true) < 0)
            return;
        const int KeysPerStep = 1024;
        var store = server.Databases[0];
        var found = new List<byte[]>();
        ulong cursor = 0;
        do
        {
            var sink = new MovedKeySink(moves, found);
            cursor = store.Scan(cursor, KeysPerStep, ref sink);
            foreach (byte[] key in found)
                store.Remove(key);
            found.Clear();
        }
        while (cursor != 0);
    }
}
