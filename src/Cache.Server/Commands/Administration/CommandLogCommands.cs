using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;
using Cache.Server.Statistics;

namespace Cache.Server.Commands.Administration;

/// <summary>COMMANDLOG: the calls that took long, and those with large requests or replies. As in Valkey.</summary>
internal static class CommandLogCommands
{
    private static readonly string[] _help =
    [
        "COMMANDLOG <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
        "GET <count> <type>",
        "    Return top <count> entries of the specified <type> from the commandlog (-1 mean all).",
        "    Entries are made of:",
        "    id, timestamp,",
        "        time in microseconds for type of slow,",
        "        or size in bytes for type of large-request,",
        "        or size in bytes for type of large-reply",
        "    arguments array, client IP and port,",
        "    client name",
        "LEN <type>",
        "    Return the length of the specified type of commandlog.",
        "RESET <type>",
        "    Reset the specified type of commandlog.",
        "HELP",
        "    Prints this help.",
    ];

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("commandlog|get", Get),
        new("commandlog|len", Length),
        new("commandlog|reset", Reset),
        new("commandlog|help", static (in RespRequest _, CommandContext context) => context.Reply.Help(_help)),
    ];

    // COMMANDLOG GET count type
    private static void Get(in RespRequest request, CommandContext context)
    {
        if (!RespInteger.TryParse(request[2], out long count) || count < -1)
            context.Reply.Error("ERR count should be greater than or equal to -1"u8);
        else if (Find(request[3], context) is { } log)
            SlowLogCommands.Write(log, count, context);
    }

    // COMMANDLOG LEN type
    private static void Length(in RespRequest request, CommandContext context)
    {
        if (Find(request[2], context) is { } log)
            context.Reply.Integer(log.Count);
    }

    // COMMANDLOG RESET type
    private static void Reset(in RespRequest request, CommandContext context)
    {
        if (Find(request[2], context) is not { } log)
            return;
        log.Clear();
        context.Reply.Ok();
    }

    /// <returns>Null if an error was replied.</returns>
    private static SlowLog? Find(ReadOnlySpan<byte> type, CommandContext context)
    {
        var server = context.Server;
        if (type.Is("SLOW"u8))
            return server.SlowLog;
        if (type.Is("LARGE-REQUEST"u8))
            return server.LargeRequests;
        if (type.Is("LARGE-REPLY"u8))
            return server.LargeReplies;
        context.Reply.Error("ERR type should be one of the following: slow, large-request, large-reply"u8);
        return null;
    }
}
