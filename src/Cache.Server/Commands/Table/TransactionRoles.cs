namespace Cache.Server.Commands.Table;

/// <summary>Decides what each command does after MULTI.</summary>
internal static class TransactionRoles
{
    private static readonly HashSet<string> _control =
        new(StringComparer.Ordinal) { "multi", "discard", "watch", "quit", "reset" };

    // Without keys, and without any use of the store that the locks of other keys could keep waiting. What is not here
    // is executed apart: that is always right.
    private static readonly HashSet<string> _withoutKeys = new(StringComparer.Ordinal)
    {
        "auth", "ping", "echo", "hello", "select", "unwatch", "dbsize", "time", "lastsave", "role", "wait", "info",
        "config|get", "command", "object|help", "publish", "spublish", "subscribe", "psubscribe", "ssubscribe",
        "unsubscribe", "punsubscribe", "sunsubscribe",
    };

    private static readonly string[] _containersWithoutKeys =
        ["client|", "acl|", "command|", "latency|", "slowlog|", "commandlog|", "pubsub|"];

    // Their patterns, or scripts, name further keys.
    private static readonly HashSet<string> _wholeWithKeys = new(StringComparer.Ordinal)
    {
        "sort", "sort_ro", "eval", "eval_ro", "evalsha", "evalsha_ro", "fcall", "fcall_ro",
    };

    /// <summary>What a command does.</summary>
    /// <param name="name">The name in the table.</param>
    /// <param name="flags">Its flags in the table.</param>
    /// <param name="hasKeys">Whether the table says where its keys are.</param>
    public static TransactionRole Of(string name, CommandFlags flags, bool hasKeys)
    {
        if (name == "exec")
            return TransactionRole.Exec;
        if (_control.Contains(name))
            return TransactionRole.Control;
        if (name is "flushdb" or "flushall")
            return TransactionRole.Clear;
        if (hasKeys)
            return _wholeWithKeys.Contains(name) ? TransactionRole.Whole : TransactionRole.Keys;
        bool isWithoutKeys = _withoutKeys.Contains(name)
            || Array.Exists(_containersWithoutKeys, one => name.StartsWith(one, StringComparison.Ordinal));
        return isWithoutKeys ? TransactionRole.Keys : TransactionRole.Whole;
    }
}
