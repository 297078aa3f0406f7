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
///  2  the keys of what it gains are removed, if there are any
///  3  the file is written; if that fails, the server keeps what it had, since nobody was told of the change
///  4  who listens to channels of what has left is sent away; and its keys are removed
///  5  what it gains is its own; who waits for a key that has left is told where it is
/// </code>
/// A slot that moves starts empty, also behind a failure between these steps. Who has called knows behind it that no
/// command on a lost slot is still under way. Another call waits for this one.
/// </remarks>
internal static class MapChange
{
    /// <summary>Takes a map.</summary>
    /// <param name="map">The map.</param>
    /// <param name="server">A server of a cluster.</param>
    /// <param name="own">
    /// The visit of the caller's command, which is ended and begun again; null: it is no command's.
    /// </param>
    /// <param name="keep">Keeps the map in its file, and says what went wrong. Null: the map comes from there.</param>
    /// <param name="problem">Why it was not taken; null: it was, or it is the present one.</param>
    /// <returns>Whether it was taken.</returns>
    public static bool TryTake(
        SlotMap map, ServerState server, DatabaseVisit? own, Func<string?>? keep, out string? problem)
    {
        // Who holds the lock waits until no visit is left: who waits for it must be none.
        var stay = own?.Presence ?? DatabaseStay.None;
        if (own is not null)
            Databases.Leave(own);
        bool isTaken;
        lock (server.Cluster!.Changing)
            isTaken = TryTakeNext(map, server, keep, out problem);
        if (stay != DatabaseStay.None)
            _ = server.Databases.TryEnter(own!, stay);
        return isTaken;
    }

    private static bool TryTakeNext(SlotMap map, ServerState server, Func<string?>? keep, out string? problem)
    {
        var cluster = server.Cluster!;
        var before = cluster.View;
        problem = FindProblem(before.Map, map);
        if (problem is not null || (map.Epoch == before.Map.Epoch && before.Map.HasSameOwners(map)))
            return false;
        var after = new SlotView(map, cluster.Self);
        bool[] lost = FindMoves(before, after);
        bool[] gained = FindMoves(after, before);
        var between = new SlotView(before.Map.Reassign(lost, SlotMap.Nobody, before.Map.Epoch), cluster.Self);
        if (!server.Databases.TryAlone(own: null, () => Publish(between, cluster)))
        {
            problem = "commands of other clients took too long; nothing was changed, try again";
            return false;
        }

        RemoveKeys(gained, server);
        problem = keep?.Invoke();
        if (problem is not null)
        {
            cluster.View = before;
            return false;
        }

        EndListeners(lost, server);
        RemoveKeys(lost, server);
        cluster.View = after;
        server.Waits.Wake(key => lost[KeySlot.Of(key)]);
        return true;
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

    // What the server owns by the one view alone. Of what others exchange it has no keys.
    private static bool[] FindMoves(SlotView one, SlotView other)
    {
        bool[] moves = new bool[KeySlot.Count];
        for (int slot = 0; slot < moves.Length; slot++)
            moves[slot] = one.Owns(slot) && !other.Owns(slot);
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
