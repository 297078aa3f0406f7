using Cache.Server.Protocol;

namespace Cache.Server.Commands.Table;

/// <summary>Lists the keys among the arguments of a request, by the table's specifications.</summary>
internal static class KeyPositions
{
    /// <summary>Whether a command has keys.</summary>
    public static bool HasKeys(CommandDefinition command) => command.KeySpecifications.Length > 0;

    /// <summary>The keys in the order of the specifications.</summary>
    /// <param name="command">The command.</param>
    /// <param name="request">A request that has the command's words from an index on.</param>
    /// <param name="start">That index.</param>
    public static List<KeyPosition> Find(CommandDefinition command, in RespRequest request, int start)
    {
        var keys = new List<KeyPosition>();
        var enumerator = new KeyEnumerator(command, request, start);
        while (enumerator.MoveNext())
            keys.Add(new KeyPosition(enumerator.Index, enumerator.Flags));
        return keys;
    }
}
