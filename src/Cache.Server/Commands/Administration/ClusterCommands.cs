using Cache.Server.Commands.Dispatch;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Administration;

/// <summary>CLUSTER, ASKING, READONLY and READWRITE, as a Redis without cluster answers.</summary>
/// <remarks>Tools ask when they connect. Each is refused, HELP too, once its arity is right.</remarks>
internal static class ClusterCommands
{
    private static readonly string[] _names =
    [
        "cluster|addslots", "cluster|addslotsrange", "cluster|bumpepoch", "cluster|count-failure-reports",
        "cluster|countkeysinslot", "cluster|delslots", "cluster|delslotsrange", "cluster|failover",
        "cluster|flushslots", "cluster|forget", "cluster|getkeysinslot", "cluster|info", "cluster|keyslot",
        "cluster|links", "cluster|meet", "cluster|myid", "cluster|nodes", "cluster|replicas", "cluster|replicate",
        "cluster|reset", "cluster|saveconfig", "cluster|set-config-epoch", "cluster|setslot", "cluster|shards",
        "cluster|slaves", "cluster|slots", "cluster|help", "asking", "readonly", "readwrite",
    ];

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
        Array.ConvertAll(_names, static name => new CommandBinding(name, Refuse));

    private static void Refuse(in RespRequest request, CommandContext context) =>
        context.Reply.Error("ERR This instance has cluster support disabled"u8);
}
