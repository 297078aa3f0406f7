using System.Globalization;
using System.Net;
using System.Text;
using Cache.Protocol;
using Cache.Server.Cluster;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Cluster;

/// <summary>What CLUSTER tells of the map, in the forms of Redis 7.0.</summary>
/// <remarks>Each reads the view once. The link to another server is always "connected": there is none.</remarks>
internal static class ClusterReplies
{
    // Where a bus of Redis would listen; clients read it, and connect to none.
    private const int BusDistance = 10_000;

    private static readonly CultureInfo _culture = CultureInfo.InvariantCulture;

    /// <summary>CLUSTER INFO.</summary>
    public static void Info(in RespRequest request, ClusterState cluster, RespReplyWriter reply)
    {
        var view = cluster.View;
        var map = view.Map;
        var text = new StringBuilder();
        Add("cluster_state", cluster.IsUpBy(view) ? "ok" : "fail");
        Add("cluster_slots_assigned", map.AssignedCount);
        Add("cluster_slots_ok", map.AssignedCount);
        Add("cluster_slots_pfail", 0);
        Add("cluster_slots_fail", 0);
        Add("cluster_known_nodes", map.Nodes.Count);
        Add("cluster_size", map.OwnerCount);
        Add("cluster_current_epoch", map.Epoch);
        Add("cluster_my_epoch", map.Epoch);
        Add("cluster_stats_messages_sent", 0);
        Add("cluster_stats_messages_received", 0);
        Add("total_cluster_links_buffer_limit_exceeded", 0);
        reply.VerbatimText(Encoding.ASCII.GetBytes(text.ToString()));

        void Add(string name, object value) => text.Append(_culture, $"{name}:{value}\r\n");
    }

    /// <summary>CLUSTER NODES.</summary>
    public static void Nodes(in RespRequest request, ClusterState cluster, RespReplyWriter reply)
    {
        var view = cluster.View;
        var text = new StringBuilder();
        for (int i = 0; i < view.Map.Nodes.Count; i++)
        {
            var node = view.Map.Nodes[i];
            int bus = node.Port + BusDistance <= ushort.MaxValue ? node.Port + BusDistance : 0;
            string name = IsName(node) ? $",{node.Host}" : "";
            string flags = i == view.SelfIndex ? "myself,master" : "master";
            text.Append(_culture, $"{node.Id} {node}@{bus}{name} {flags} - 0 0 {view.Map.Epoch} connected");
            foreach (var stretch in view.Map.StretchesOf(i))
                text.Append(' ').Append(SlotRangeText.Format(stretch.First, stretch.Last));
            text.Append('\n');
        }

        reply.VerbatimText(Encoding.UTF8.GetBytes(text.ToString()));
    }

    /// <summary>CLUSTER SLOTS.</summary>
    public static void Slots(in RespRequest request, ClusterState cluster, RespReplyWriter reply)
    {
        var map = cluster.View.Map;
        reply.ArrayHeader(map.Stretches.Count);
        foreach (var stretch in map.Stretches)
        {
            var node = map.Nodes[stretch.Owner];
            reply.ArrayHeader(3);
            reply.Integer(stretch.First);
            reply.Integer(stretch.Last);
            reply.ArrayHeader(4);
            Bulk(reply, node.Host);
            reply.Integer(node.Port);
            Bulk(reply, node.Id);
            reply.MapHeader(0);
        }
    }

    /// <summary>CLUSTER SHARDS.</summary>
    public static void Shards(in RespRequest request, ClusterState cluster, RespReplyWriter reply)
    {
        var map = cluster.View.Map;
        reply.ArrayHeader(map.Nodes.Count);
        for (int i = 0; i < map.Nodes.Count; i++)
        {
            var owned = map.StretchesOf(i);
            reply.MapHeader(2);
            Bulk(reply, "slots");
            reply.ArrayHeader(2 * owned.Count);
            foreach (var stretch in owned)
            {
                reply.Integer(stretch.First);
                reply.Integer(stretch.Last);
            }

            Bulk(reply, "nodes");
            reply.ArrayHeader(1);
            Shard(map.Nodes[i], reply);
        }
    }

    private static void Shard(ShardNode node, RespReplyWriter reply)
    {
        bool isName = IsName(node);
        reply.MapHeader(isName ? 8 : 7);
        Bulk(reply, "id");
        Bulk(reply, node.Id);
        Bulk(reply, "port");
        reply.Integer(node.Port);
        Bulk(reply, "ip");
        Bulk(reply, node.Host);
        Bulk(reply, "endpoint");
        Bulk(reply, node.Host);
        if (isName)
        {
            Bulk(reply, "hostname");
            Bulk(reply, node.Host);
        }

        Bulk(reply, "role");
        Bulk(reply, "master");
        Bulk(reply, "replication-offset");
        reply.Integer(0);
        Bulk(reply, "health");
        Bulk(reply, "online");
    }

    private static bool IsName(ShardNode node) => !IPAddress.TryParse(node.Host, out _);

    private static void Bulk(RespReplyWriter reply, string text) => reply.Bulk(Encoding.UTF8.GetBytes(text));
}
