using Cache.Server.Commands.Table;

namespace Cache.Server.Cluster;

/// <summary>What is refused while a slot has no owner, and each must have one.</summary>
internal static class ClusterDown
{
    private static ReadOnlySpan<byte> Down => "CLUSTERDOWN The cluster is down"u8;

    /// <summary>The error reply; null: the command is answered all the same.</summary>
    /// <param name="command">A command with keys or sharded channels, or EXEC.</param>
    /// <param name="allowsChannels">Whether those of sharded channels are answered.</param>
    /// <param name="allowsReads">Whether others that write nothing are answered.</param>
    public static byte[]? FindError(CommandDefinition command, bool allowsChannels, bool allowsReads)
    {
        if (command.Name is "ssubscribe" or "sunsubscribe" or "spublish")
            return allowsChannels ? null : Down.ToArray();
        if (!allowsReads)
            return Down.ToArray();
        return (command.Flags & CommandFlags.Write) == 0
            ? null
            : "CLUSTERDOWN The cluster is down and only accepts read commands"u8.ToArray();
    }
}
