using System.Text;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;
using Cache.Server.Statistics;

namespace Cache.Server.Commands.Administration;

/// <summary>SLOWLOG: the calls that took long.</summary>
internal static class SlowLogCommands
{
    private const int CountDefault = 10;

    private static readonly string[] _help =
    [
        "SLOWLOG <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
        "GET [<count>]",
        "    Return top <count> entries from the slowlog (default: 10, -1 mean all).",
        "    Entries are made of:",
        "    id, timestamp, time in microseconds, arguments array, client IP and port,",
        "    client name",
        "LEN",
        "    Return the length of the slowlog.",
        "RESET",
        "    Reset the slowlog.",
        "HELP",
        "    Prints this help.",
    ];

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("slowlog|get", Get),
        new("slowlog|len", static (in RespRequest _, CommandContext context) =>
            context.Reply.Integer(context.Server.SlowLog.Count)),
        new("slowlog|reset", Reset),
        new("slowlog|help", static (in RespRequest _, CommandContext context) => context.Reply.Help(_help)),
    ];

    // SLOWLOG GET [count]
    private static void Get(in RespRequest request, CommandContext context)
    {
        long count = CountDefault;
        if (request.Count > 3)
        {
            byte[] name = [.. request[1]];
            context.Reply.Error(
            [
                .. "ERR unknown subcommand or wrong number of arguments for '"u8, .. name, .. "'. Try SLOWLOG HELP."u8,
            ]);
            return;
        }

        if (request.Count == 3 && (!RespInteger.TryParse(request[2], out count) || count < -1))
        {
            context.Reply.Error("ERR count should be greater than or equal to -1"u8);
            return;
        }

        Write(context.Server.SlowLog, count, context);
    }

    /// <summary>Replies with the youngest requests of a log.</summary>
    /// <param name="log">The log.</param>
    /// <param name="count">At most so many; negative: all.</param>
    /// <param name="context">The client.</param>
    public static void Write(SlowLog log, long count, CommandContext context)
    {
        var requests = log.GetLast(count < 0 ? long.MaxValue : count);
        context.Reply.ArrayHeader(requests.Count);
        foreach (var one in requests)
        {
            if (context.IsReplyOverLimit)
                return;
            Write(one, context.Reply);
        }
    }

    private static void Write(SlowRequest request, RespReplyWriter reply)
    {
        reply.ArrayHeader(6);
        reply.Integer(request.Id);
        reply.Integer(request.AtUnixSeconds);
        reply.Integer(request.Value);
        reply.ArrayHeader(request.Arguments.Length);
        foreach (byte[] argument in request.Arguments)
            reply.Bulk(argument);
        reply.Bulk(Encoding.UTF8.GetBytes(request.Client));
        reply.Bulk(request.ClientName);
    }

    private static void Reset(in RespRequest request, CommandContext context)
    {
        context.Server.SlowLog.Clear();
        context.Reply.Ok();
    }
}
