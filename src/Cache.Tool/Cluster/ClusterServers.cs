using System.Text;
using Cache.Server.Cluster;
using Cache.Tool.Client;
using Cache.Tool.Verbs;

namespace Cache.Tool.Cluster;

/// <summary>The servers of a cluster, each with the map that it has.</summary>
internal sealed class ClusterServers : IDisposable
{
    // A server that takes a map waits for long commands, and removes the keys of what moves.
    private const int PatienceMs = 120_000;

    private readonly Dictionary<ShardNode, ServerConnection> _connections = [];
    private readonly Dictionary<ShardNode, SlotMap> _maps = [];

    private ClusterServers(SlotMap newest) => Newest = newest;

    /// <summary>The map with the greatest number.</summary>
    public SlotMap Newest { get; private set; }

    /// <summary>The servers that answer, with their maps.</summary>
    public IReadOnlyDictionary<ShardNode, SlotMap> Maps => _maps;

    /// <summary>The servers that do not answer, and what they say.</summary>
    public Dictionary<ShardNode, string> Silent { get; } = [];

    /// <summary>Asks one server for the others, and these too.</summary>
    /// <exception cref="ToolException">That one does not answer, or is in no cluster.</exception>
    public static ClusterServers Open(ServerAddress address)
    {
        using var first = ServerConnection.Open(address);
        var servers = new ClusterServers(Read(first));
        try
        {
            servers.OpenAll(address);
            return servers;
        }
        catch
        {
            servers.Dispose();
            throw;
        }
    }

    /// <summary>Replaces the map of one server, and waits until it has.</summary>
    /// <returns>False if it has that map already, from somebody else.</returns>
    /// <exception cref="ToolException">It refuses it, or does not answer.</exception>
    public bool Send(ShardNode node, SlotMap map)
    {
        bool isNew;
        try
        {
            string json = Encoding.UTF8.GetString(SlotMapJson.Write(map));
            isNew = _connections[node].Call("CACHE", "CLUSTER", "SET", json).Text == "OK";
        }
        catch (ToolException failure)
        {
            throw new ToolException($"{node}: {failure.Message}. 'cache cluster move' goes on where it has stopped.");
        }

        _maps[node] = map;
        return isNew;
    }

    /// <summary>Whether a server owns a slot, by its own map, that another map does not give to it.</summary>
    public bool LosesBy(ShardNode node, SlotMap map)
    {
        for (int slot = 0; slot < SlotMap.SlotCount; slot++)
        {
            if (Owns(node, slot) && !Gives(map, slot, node))
                return true;
        }

        return false;
    }

    /// <summary>Whether a server owns a slot, by its own map.</summary>
    public bool Owns(ShardNode node, int slot) => Gives(_maps[node], slot, node);

    public void Dispose()
    {
        foreach (var connection in _connections.Values)
            connection.Dispose();
    }

    private static bool Gives(SlotMap map, int slot, ShardNode node) =>
        map.OwnerOf(slot) is not SlotMap.Nobody and var owner && map.Nodes[owner] == node;

    private static SlotMap Read(ServerConnection server)
    {
        byte[] json = server.Call("CACHE", "CLUSTER").Bytes;
        return SlotMapJson.TryRead(json, out string? problem)
            ?? throw new ToolException($"the map of the server {problem}.");
    }

    // A newer map may name further servers.
    private void OpenAll(ServerAddress address)
    {
        while (Newest.Nodes.FirstOrDefault(node => !_maps.ContainsKey(node) && !Silent.ContainsKey(node)) is { } next)
        {
            try
            {
                var connection = ServerConnection.Open(
                    address with { Host = next.Host, Port = next.Port, SocketPath = null }, PatienceMs);
                _connections.Add(next, connection);
                _maps.Add(next, Read(connection));
            }
            catch (ToolException failure)
            {
                Silent.Add(next, failure.Message);
                continue;
            }

            if (_maps[next].Epoch > Newest.Epoch)
                Newest = _maps[next];
        }
    }
}
