using System.Text;
using Cache.Server.Cluster;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Cluster;

/// <summary>CACHE CLUSTER: reads the map, or replaces it while the server serves.</summary>
internal static class MapCommand
{
    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("cache|cluster", Cluster),
    ];

    private static ReadOnlySpan<byte> NotInAFile =>
        "ERR the map is in cluster-nodes; only one that is in a file, cluster-map, is replaced"u8;

    // CACHE CLUSTER [SET map]
    private static void Cluster(in RespRequest request, CommandContext context)
    {
        if (ClusterCommands.Find(context) is not { } cluster)
            return;
        if (request.Count == 2)
            context.Reply.Bulk(SlotMapJson.Write(cluster.View.Map));
        else if (request.Count != 4 || !request[2].Is("SET"u8))
            context.Reply.Error(ErrorTexts.Syntax);
        else if (cluster.File is not { } path)
            context.Reply.Error(NotInAFile);
        else if (!context.TryGiveWay(long.MaxValue)) // It waits for other clients' commands.
            Replace(path, request[3].ToArray(), context);
    }

    // A map that is the present one already is told apart: whoever moves slots must know that it was its own that came.
    private static void Replace(string path, byte[] json, CommandContext context)
    {
        bool isTaken = false;
        if (SlotMapJson.TryRead(json, out string? problem) is { } map)
        {
            isTaken = MapChange.TryTake(
                map, context.Server, context, () => MapFile.TryReplace(path, SlotMapJson.Write(map)), out problem);
        }

        if (problem is not null)
            context.Reply.Error(Encoding.UTF8.GetBytes($"ERR the map {problem.ReplaceLineEndings(" ")}"));
        else if (isTaken)
            context.Reply.Ok();
        else
            context.Reply.SimpleString("UNCHANGED"u8);
    }
}
