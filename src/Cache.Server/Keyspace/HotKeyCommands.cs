using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Keyspace;

/// <summary>HOTKEYS: the keys that are used most often, by samples. As in Valkey; always on.</summary>
internal static class HotKeyCommands
{
    private const int CountDefault = 16;

    // What one thread that serves clients remembers; several may know of others.
    private const int CountMax = 1024;

    private static readonly string[] _help =
    [
        "HOTKEYS <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
        "GET [COUNT <count>]",
        "    Return the keys that are used most often, the most frequent first (default: 16).",
        "    Entries are made of: key, db, requests per second.",
        "RESET",
        "    Forget all samples.",
        "HELP",
        "    Prints this help.",
    ];

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("hotkeys|get", Get),
        new("hotkeys|reset", Reset),
        new("hotkeys|help", static (in RespRequest _, CommandContext context) => context.Reply.Help(_help)),
    ];

    // HOTKEYS GET [COUNT count]
    private static void Get(in RespRequest request, CommandContext context)
    {
        long count = CountDefault;
        if (request.Count is not (2 or 4) || (request.Count == 4 && !request[2].Is("COUNT"u8)))
        {
            context.Reply.Error(ErrorTexts.Syntax);
            return;
        }

        if (request.Count == 4 && (!RespInteger.TryParse(request[3], out count) || count is < 1 or > CountMax))
        {
            context.Reply.Error("ERR COUNT must be between 1 and 1024"u8);
            return;
        }

        var keys = context.Server.Statistics.GetHotKeys(context.Server.TimeProvider.GetTimestamp());
        var reply = context.Reply;
        int shown = (int)Math.Min(count, keys.Count);
        reply.ArrayHeader(shown);
        for (int i = 0; i < shown; i++)
        {
            reply.MapHeader(3);
            reply.Bulk("key"u8);
            reply.Bulk(keys[i].Key);
            reply.Bulk("db"u8);
            reply.Integer(keys[i].Database);
            reply.Bulk("qps"u8);
            reply.Integer((long)Math.Ceiling(keys[i].Rate));
        }
    }

    private static void Reset(in RespRequest request, CommandContext context)
    {
        context.Server.Statistics.ResetHotKeys();
        context.Reply.Ok();
    }
}
