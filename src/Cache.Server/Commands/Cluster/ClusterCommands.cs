using System.Text;
using Cache.Protocol;
using Cache.Server.Cluster;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Cluster;

/// <summary>CLUSTER, ASKING, READONLY and READWRITE.</summary>
/// <remarks>
/// Without cluster mode each is refused, HELP too, once its arity is right: tools ask when they connect. In cluster
/// mode those that read are answered, and those that would change the map are refused: it is changed from outside.
/// </remarks>
internal static class ClusterCommands
{
    private static readonly string[] _changing =
    [
        "addslots", "addslotsrange", "bumpepoch", "delslots", "delslotsrange", "failover", "flushslots", "forget",
        "meet", "replicate", "reset", "saveconfig", "set-config-epoch", "setslot",
    ];

    private static readonly string[] _help =
    [
        "CLUSTER <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
        "COUNT-FAILURE-REPORTS <node-id>",
        "    Return number of failure reports for <node-id>.",
        "COUNTKEYSINSLOT <slot>",
        "    Return the number of keys in <slot>.",
        "GETKEYSINSLOT <slot> <count>",
        "    Return key names stored by current node in a slot.",
        "INFO",
        "    Return information about the cluster.",
        "KEYSLOT <key>",
        "    Return the hash slot for <key>.",
        "MYID",
        "    Return the node id.",
        "NODES",
        "    Return cluster configuration seen by node. Output format:",
        "    <id> <ip:port> <flags> <master> <pings> <pongs> <epoch> <link> <slot> ...",
        "REPLICAS <node-id>",
        "    Return <node-id> replicas.",
        "SLOTS",
        "    Return information about slots range mappings. Each range is made of:",
        "    start, end, master and replicas IP addresses, ports and ids",
        "SHARDS",
        "    Return information about slot range mappings and the nodes associated with them.",
        "LINKS",
        "    Return information about all network links between this node and its peers.",
        "    Output format is an array where each array element is a map containing attributes of a link",
        "HELP",
        "    Prints this help.",
    ];

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        .. Array.ConvertAll(_changing, static name => new CommandBinding("cluster|" + name, Change)),
        Bind("cluster|info", ClusterReplies.Info),
        Bind("cluster|nodes", ClusterReplies.Nodes),
        Bind("cluster|slots", ClusterReplies.Slots),
        Bind("cluster|shards", ClusterReplies.Shards),
        Bind("cluster|myid", static (in _, cluster, reply) => reply.Bulk(Encoding.ASCII.GetBytes(cluster.Self.Id))),
        Bind("cluster|keyslot", static (in request, _, reply) => reply.Integer(KeySlot.Of(request[2]))),
        Bind("cluster|links", static (in _, _, reply) => reply.ArrayHeader(0)),
        Bind("cluster|replicas", Replicas),
        Bind("cluster|slaves", Replicas),
        Bind("cluster|count-failure-reports", static (in request, cluster, reply) =>
        {
            if (Knows(request[2], cluster, reply))
                reply.Integer(0);
        }),
        Bind("cluster|help", static (in _, _, reply) => reply.Help(_help)),
        new("cluster|countkeysinslot", SlotKeyCommands.Count),
        new("cluster|getkeysinslot", SlotKeyCommands.Get),
        Bind("asking", static (in _, _, reply) => reply.Ok()), // No slot is ever on its way.
        Bind("readonly", static (in _, _, reply) => reply.Ok()), // Nothing here is a replica.
        Bind("readwrite", static (in _, _, reply) => reply.Ok()),
    ];

    /// <summary>The cluster; null: there is none, and an error was replied.</summary>
    public static ClusterState? Find(CommandContext context)
    {
        if (context.Server.Cluster is null)
            context.Reply.Error("ERR This instance has cluster support disabled"u8);
        return context.Server.Cluster;
    }

    private delegate void Answer(in RespRequest request, ClusterState cluster, RespReplyWriter reply);

    private static CommandBinding Bind(string name, Answer answer) =>
        new(name, (in RespRequest request, CommandContext context) =>
        {
            if (Find(context) is { } cluster)
                answer(request, cluster, context.Reply);
        });

    private static void Change(in RespRequest request, CommandContext context)
    {
        if (Find(context) is not null)
            context.Reply.Error(
                "ERR The owners of slots are in the map of this server, which 'cache cluster move' changes"u8);
    }

    private static void Replicas(in RespRequest request, ClusterState cluster, RespReplyWriter reply)
    {
        if (Knows(request[2], cluster, reply))
            reply.ArrayHeader(0);
    }

    private static bool Knows(ReadOnlySpan<byte> id, ClusterState cluster, RespReplyWriter reply)
    {
        string text = Encoding.Latin1.GetString(id);
        foreach (var node in cluster.View.Map.Nodes)
        {
            if (node.Id == text)
                return true;
        }

        reply.Error([.. "ERR Unknown node "u8, .. id]);
        return false;
    }
}
