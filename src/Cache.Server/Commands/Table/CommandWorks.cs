namespace Cache.Server.Commands.Table;

/// <summary>Decides how much work a call of each command may be.</summary>
internal static class CommandWorks
{
    // Not flagged fast by Redis, but they are, and they are frequent.
    private static readonly HashSet<string> _short = new(StringComparer.Ordinal) { "set", "setex", "psetex" };

    // Flagged fast by Redis. The numbers of INCRBYFLOAT and HINCRBYFLOAT may have 4,900 digits: a hundred such calls
    // fit into a receive, 3 ms each.
    private static readonly HashSet<string> _notShort = new(StringComparer.Ordinal) { "incrbyfloat", "hincrbyfloat" };

    // Rare commands that visit all keys, all clients, all users or the whole table, or change shared state.
    private static readonly HashSet<string> _long = new(StringComparer.Ordinal)
    {
        "randomkey", "command", "command|docs", "command|info", "command|list",
        "config|get", "config|set", "config|resetstat", "config|rewrite",
        "acl|deluser", "acl|dryrun", "acl|getuser", "acl|list", "acl|load", "acl|log", "acl|save", "acl|setuser",
        "acl|users", "latency|histogram", "memory|purge", "slowlog|get", "commandlog|get", "hotkeys|get",
        "cache|doctor", "cache|events", "cache|package", "cache|prefixes", "cache|topkeys",
    };

    /// <summary>The most work of a command.</summary>
    /// <param name="name">The name in the table.</param>
    /// <param name="flags">Its flags in the table.</param>
    /// <param name="hasManyKeys">Whether it accepts any number of keys.</param>
    public static CommandWork Of(string name, CommandFlags flags, bool hasManyKeys)
    {
        if (_long.Contains(name))
            return CommandWork.Long;
        bool isShort = ((flags & CommandFlags.Fast) != 0 && !_notShort.Contains(name)) || _short.Contains(name);
        return isShort && !hasManyKeys ? CommandWork.Short : CommandWork.Unsure;
    }
}
