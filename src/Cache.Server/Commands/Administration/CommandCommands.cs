using System.Text;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Commands.Table;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Administration;

/// <summary>COMMAND: the data of the command table.</summary>
internal static class CommandCommands
{
    private static readonly string[] _help =
    [
        "COMMAND <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
        "(no subcommand)",
        "    Return details about all Redis commands.",
        "COUNT",
        "    Return the total number of commands in this Redis server.",
        "LIST",
        "    Return a list of all commands in this Redis server.",
        "INFO [<command-name> ...]",
        "    Return details about multiple Redis commands.",
        "    If no command names are given, documentation details for all",
        "    commands are returned.",
        "DOCS [<command-name> ...]",
        "    Return documentation details about multiple Redis commands.",
        "    If no command names are given, documentation details for all",
        "    commands are returned.",
        "GETKEYS <full-command>",
        "    Return the keys from a full Redis command.",
        "GETKEYSANDFLAGS <full-command>",
        "    Return the keys and the access flags from a full Redis command.",
        "HELP",
        "    Prints this help.",
    ];

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("command", All),
        new("command|count", Count),
        new("command|info", Info),
        new("command|docs", Docs),
        new("command|list", List),
        new("command|getkeys", GetKeys),
        new("command|getkeysandflags", GetKeysAndFlags),
        new("command|help", Help),
    ];

    private static void All(in RespRequest request, CommandContext context)
    {
        var commands = context.Server.Commands.Commands;
        context.Reply.ArrayHeader(commands.Count);
        for (int i = 0; i < commands.Count; i++)
            context.Reply.Literal(commands[i].Replies.Info(context.Reply.ProtocolVersion));
    }

    private static void Count(in RespRequest request, CommandContext context) =>
        context.Reply.Integer(context.Server.Commands.Commands.Count);

    private static void Info(in RespRequest request, CommandContext context)
    {
        if (request.Count == 2)
        {
            All(request, context);
            return;
        }

        context.Reply.ArrayHeader(request.Count - 2);
        for (int i = 2; i < request.Count && !context.IsReplyOverLimit; i++)
        {
            if (context.Server.Commands.FindFull(request[i]) is { } command)
                context.Reply.Literal(command.Replies.Info(context.Reply.ProtocolVersion));
            else
                context.Reply.Null();
        }
    }

    private static void Docs(in RespRequest request, CommandContext context)
    {
        var commands = request.Count == 2 ? context.Server.Commands.Commands : FindNamed(request, context);
        context.Reply.MapHeader(commands.Count);
        for (int i = 0; i < commands.Count && !context.IsReplyOverLimit; i++)
            context.Reply.Literal(commands[i].Replies.Docs(context.Reply.ProtocolVersion));
    }

    private static List<CommandDefinition> FindNamed(in RespRequest request, CommandContext context)
    {
        var commands = new List<CommandDefinition>();
        for (int i = 2; i < request.Count; i++)
        {
            if (context.Server.Commands.FindFull(request[i]) is { } command)
                commands.Add(command);
        }

        return commands;
    }

    private static void List(in RespRequest request, CommandContext context)
    {
        bool isFiltered = request.Count == 5 && request[2].Is("FILTERBY"u8);
        if (request.Count != 2 && !isFiltered)
        {
            context.Reply.Error(ErrorTexts.Syntax);
            return;
        }

        var names = new List<byte[]>();
        foreach (var command in context.Server.Commands.All)
        {
            if (!isFiltered || CommandFilter.Matches(command, request[3], request[4]))
                names.Add(command.NameBytes);
        }

        if (isFiltered && !CommandFilter.IsKnown(request[3]))
        {
            context.Reply.Error(ErrorTexts.Syntax);
            return;
        }

        context.Reply.ArrayHeader(names.Count);
        foreach (byte[] name in names)
            context.Reply.Bulk(name);
    }

    private static void GetKeys(in RespRequest request, CommandContext context)
    {
        if (!TryFindKeys(request, context, out var keys))
            return;
        context.Reply.ArrayHeader(keys.Count);
        foreach (var key in keys)
            context.Reply.Bulk(request[key.Index]);
    }

    private static void GetKeysAndFlags(in RespRequest request, CommandContext context)
    {
        if (!TryFindKeys(request, context, out var keys))
            return;
        var reply = context.Reply;
        reply.ArrayHeader(keys.Count);
        foreach (var key in keys)
        {
            reply.ArrayHeader(2);
            reply.Bulk(request[key.Index]);
            reply.SetHeader(key.Flags.Length);
            foreach (string flag in key.Flags)
                reply.SimpleString(Encoding.ASCII.GetBytes(flag));
        }
    }

    private static bool TryFindKeys(in RespRequest request, CommandContext context, out List<KeyPosition> keys)
    {
        const int Start = 2;
        keys = [];
        var command = context.Server.Commands.Find(request[Start]);
        if (command?.Subcommands is { } subcommands && request.Count > Start + 1)
            command = subcommands.Find(request[Start + 1]);
        if (command is null)
            context.Reply.Error("ERR Invalid command specified"u8);
        else if (!KeyPositions.HasKeys(command))
            context.Reply.Error("ERR The command has no key arguments"u8);
        else if (!command.Accepts(request.Count - Start))
            context.Reply.Error("ERR Invalid number of arguments specified for command"u8);
        else
            return TryFindKeys(command, request, Start, context, out keys);
        return false;
    }

    // None if the number of the keys, which stands before them, is wrong; scripts need none.
    private static bool TryFindKeys(
        CommandDefinition command, in RespRequest request, int start, CommandContext context,
        out List<KeyPosition> keys)
    {
        keys = KeyPositions.Find(command, request, start);
        if (keys.Count > 0 || command.RunsScript)
            return true;
        context.Reply.Error("ERR Invalid arguments specified for command"u8);
        return false;
    }

    private static void Help(in RespRequest request, CommandContext context) => context.Reply.Help(_help);
}
