namespace Cache.Server.Commands.Table;

/// <summary>Says of each command how much work a call may be.</summary>
internal static class CommandWorks
{
    // Redis does not call them fast, but they are, and much traffic consists of them.
    private static readonly HashSet<string> _short = new(StringComparer.Ordinal) { "set", "setex", "psetex" };

    // Redis calls them fast. The numbers of INCRBYFLOAT may have 4,900 digits: a hundred such calls fit into a receive,
    // 3 ms each.
    private static readonly HashSet<string> _notShort = new(StringComparer.Ordinal) { "incrbyfloat" };

    // What visits all keys, all clients, all users or the whole table, or changes what all use, and is rare.
    private static readonly HashSet<string> _long = new(StringComparer.Ordinal)
    {
        "randomkey", "command", "command|docs", "command|info", "command|list",
        "config|get", "config|set", "config|resetstat", "config|rewrite",
        "acl|deluser", "acl|dryrun", "acl|getuser", "acl|list", "acl|load", "acl|log", "acl|save", "acl|setuser",
        "acl|users",
    };

    /// <summary>How much work a command may be.</summary>
    /// <param name="name">The name in the table.</param>
    /// <param name="flags">What the table says of it.</param>
    /// <param name="hasManyKeys">Whether it takes any number of keys.</param>
    public static CommandWork Of(string name, CommandFlags flags, bool hasManyKeys)
    {
        if (_long.Contains(name))
            return CommandWork.Long;
        bool isShort = ((flags & CommandFlags.Fast) != 0 && !_notShort.Contains(name)) || _short.Contains(name);
        return isShort && !hasManyKeys ? CommandWork.Short : CommandWork.Unsure;
    }
}
