using System.Text;
using Cache.Server.Commands.Table;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Dispatch;

/// <summary>The commands of the admin socket: those that neither read entries nor wait for those who do.</summary>
/// <remarks>
/// They read counters by words, lists that are replaced as a whole, and tables under locks that are held for
/// microseconds; no state of an event loop, no bucket and no keyspace by a client's number.
/// </remarks>
internal static class AdminCommands
{
    private const int ShownNameMax = 32;

    private static readonly HashSet<string> _served = new(StringComparer.Ordinal)
    {
        "acl", "auth", "command", "commandlog", "config", "echo", "hello", "info", "lastsave", "latency",
        "ping", "quit", "role", "shutdown", "slowlog", "time",

        // Of these containers others read an entry, park the client, or belong to its connection.
        "cache|curve", "cache|doctor", "cache|events", "cache|help", "cache|memory", "cache|unsafe",
        "client|getname", "client|help", "client|id", "client|info", "client|kill", "client|list", "client|setinfo",
        "client|setname", "client|unblock",
        "client|unpause", "memory|doctor", "memory|help", "memory|malloc-stats", "memory|purge",
        "memory|stats",
    };

    /// <summary>The reply to all others.</summary>
    public static ReadOnlySpan<byte> Refusal =>
        "ERR the admin socket does not serve this command. It serves ACL, AUTH, CACHE, CLIENT, COMMAND, COMMANDLOG, "u8
        + "CONFIG, ECHO, HELLO, INFO, LASTSAVE, LATENCY, MEMORY, PING, QUIT, ROLE, SHUTDOWN, SLOWLOG and TIME; "u8
        + "use a port for entries"u8;

    /// <summary>Whether the admin socket serves a command, or one of a container.</summary>
    public static bool Serve(CommandDefinition? command)
    {
        if (command is null)
            return false;
        int end = command.Name.IndexOf('|');
        return _served.Contains(command.Name) || (end >= 0 && _served.Contains(command.Name[..end]));
    }

    /// <summary>The first word of a request, for the log.</summary>
    public static string NameOf(in RespRequest request)
    {
        var name = request[0];
        return Encoding.Latin1.GetString(name[..Math.Min(name.Length, ShownNameMax)]);
    }
}
