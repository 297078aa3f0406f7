using Cache.Server.Commands.Table;

namespace Cache.Server.Cluster;

/// <summary>What is refused while a slot has no owner, and each must have one.</summary>
internal static class ClusterDown
{
    /// <summary>The error reply; null: the command is answered all the same.</summary>
    /// <param name="command">A command with keys or sharded channels, or EXEC.</param>
    /// <param name="allowsChannels">Whether those of sharded channels are answered.</param>
    /// <param name="allowsReads">Whether others that write nothing are answered.</param>
    public static byte[]? FindError(CommandDefinition command, bool allowsChannels, bool allowsReads) =>
        IsAllowed(command, allowsChannels, allowsReads) ? null
        : IsRefusedAsWrite(command, allowsReads)
            ? "CLUSTERDOWN The cluster is down and only accepts read commands"u8.ToArray()
        : "CLUSTERDOWN The cluster is down"u8.ToArray();

    /// <summary>The same for a command of a script, which has other texts.</summary>
    public static byte[]? FindErrorInScript(CommandDefinition command, bool allowsChannels, bool allowsReads) =>
        IsAllowed(command, allowsChannels, allowsReads) ? null
        : IsRefusedAsWrite(command, allowsReads)
            ? "ERR Script attempted to execute a write command while the cluster is down and readonly"u8.ToArray()
        : "ERR Script attempted to execute a command while the cluster is down"u8.ToArray();

    private static bool IsAllowed(CommandDefinition command, bool allowsChannels, bool allowsReads) =>
        IsOfChannels(command) ? allowsChannels : allowsReads && (command.Flags & CommandFlags.Write) == 0;

    private static bool IsRefusedAsWrite(CommandDefinition command, bool allowsReads) =>
        allowsReads && !IsOfChannels(command);

    private static bool IsOfChannels(CommandDefinition command) =>
        command.Name is "ssubscribe" or "sunsubscribe" or "spublish";
}
