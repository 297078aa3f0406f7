using System.Text;
using Cache.Durability.Dumps;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;
using Cache.Server.Scripts;

namespace Cache.Server.Commands.Scripts;

/// <summary>FUNCTION, FCALL and FCALL_RO.</summary>
internal static class FunctionCommands
{
    private static readonly string[] _help =
    [
        "FUNCTION <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
        "LOAD [REPLACE] <FUNCTION CODE>",
        "    Create a new library with the given library name and code.",
        "DELETE <LIBRARY NAME>",
        "    Delete the given library.",
        "LIST [LIBRARYNAME PATTERN] [WITHCODE]",
        "    Return general information on all the libraries:",
        "    * Library name",
        "    * The engine used to run the Library",
        "    * Library description",
        "    * Functions list",
        "    * Library code (if WITHCODE is given)",
        "    It also possible to get only function that matches a pattern using LIBRARYNAME argument.",
        "STATS",
        "    Return information about the current function running:",
        "    * Function name",
        "    * Command used to run the function",
        "    * Duration in MS that the function is running",
        "    If no function is running, return nil",
        "    In addition, returns a list of available engines.",
        "KILL",
        "    Kill the current running function.",
        "FLUSH [ASYNC|SYNC]",
        "    Delete all the libraries.",
        "    When called without the optional mode argument, the behavior is determined by the",
        "    lazyfree-lazy-user-flush configuration directive. Valid modes are:",
        "    * ASYNC: Asynchronously flush the libraries.",
        "    * SYNC: Synchronously flush the libraries.",
        "DUMP",
        "    Return a serialized payload representing the current libraries, can be restored using FUNCTION RESTORE "
            + "command",
        "RESTORE <PAYLOAD> [FLUSH|APPEND|REPLACE]",
        "    Restore the libraries represented by the given payload, it is possible to give a restore policy to",
        "    control how to handle existing libraries (default APPEND):",
        "    * FLUSH: delete all existing libraries.",
        "    * APPEND: appends the restored libraries to the existing libraries. On collision, abort.",
        "    * REPLACE: appends the restored libraries to the existing libraries, On collision, replace the old",
        "      libraries with the new libraries (notice that even on this option there is a chance of failure",
        "      in case of functions name collision with another library).",
        "HELP",
        "    Prints this help.",
    ];

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("fcall", static (in RespRequest r, CommandContext c) => FunctionCall.Execute(r, c, isReadOnly: false)),
        new("fcall_ro", static (in RespRequest r, CommandContext c) => FunctionCall.Execute(r, c, isReadOnly: true)),
        new("function|load", Load),
        new("function|delete", Delete),
        new("function|flush", Flush),
        new("function|list", List),
        new("function|stats", Stats),
        new("function|kill", Kill),
        new("function|dump", Dump),
        new("function|restore", Restore),
        new("function|help", static (in RespRequest _, CommandContext c) => c.Reply.Help(_help)),
    ];

    // FUNCTION LOAD [REPLACE] function-code
    private static void Load(in RespRequest request, CommandContext context)
    {
        if (!TryGet(context, out var functions))
            return;
        bool replaces = false;
        for (int i = 2; i < request.Count - 1; i++)
        {
            replaces = request[i].Is("REPLACE"u8);
            if (replaces)
                continue;
            context.Reply.Error([.. "ERR Unknown option given: "u8, .. request[i].UpToNul()]);
            return;
        }

        if (context.TryGiveWay(long.MaxValue)) // It runs for half a second at the longest.
            return;
        if (functions.TryLoad(request[^1], replaces, context.Server.ScriptLogged, out string name) is { } error)
            context.Reply.Error(error);
        else
            context.Reply.Bulk(Encoding.ASCII.GetBytes(name));
    }

    // FUNCTION DELETE library-name
    private static void Delete(in RespRequest request, CommandContext context)
    {
        if (TryGet(context, out var functions) && !context.TryGiveWay(long.MaxValue)) // It writes to the disk.
            Answer(functions.TryDelete(Encoding.Latin1.GetString(request[2])), context);
    }

    // FUNCTION FLUSH [ASYNC | SYNC]
    private static void Flush(in RespRequest request, CommandContext context)
    {
        if (!TryGet(context, out var functions))
            return;
        if (request.Count > 3)
            context.Reply.UnknownSubcommand(request[1], "FUNCTION"u8);
        else if (request.Count == 3 && !request[2].Is("SYNC"u8) && !request[2].Is("ASYNC"u8))
            context.Reply.Error("ERR FUNCTION FLUSH only supports SYNC|ASYNC option"u8);
        else if (!context.TryGiveWay(long.MaxValue)) // It writes to the disk.
            Answer(functions.TryFlush(), context);
    }

    // FUNCTION LIST [LIBRARYNAME library-name-pattern] [WITHCODE]
    private static void List(in RespRequest request, CommandContext context)
    {
        if (!TryGet(context, out var functions) || !FunctionList.TryParse(request, context.Reply, out var list))
            return;
        list.Write(functions.Table, context.Reply);
    }

    // FUNCTION STATS
    private static void Stats(in RespRequest request, CommandContext context)
    {
        if (!TryGet(context, out var functions))
            return;
        var present = context.Server.Scripts!.Present;
        if (present is { IsThere: true, IsFunction: false })
            context.Reply.Error(ErrorTexts.Busy);
        else
            FunctionList.WriteStatistics(functions.Table, present.Function, context.Reply);
    }

    // FUNCTION KILL
    private static void Kill(in RespRequest request, CommandContext context)
    {
        if (TryGet(context, out _))
            ScriptCommands.Kill(context.Server.Scripts!, isFunction: true, context);
    }

    // FUNCTION DUMP
    private static void Dump(in RespRequest request, CommandContext context)
    {
        if (TryGet(context, out var functions))
            context.Reply.Bulk(DumpedFunctions.Make(functions.Table.Codes));
    }

    // FUNCTION RESTORE serialized-value [FLUSH | APPEND | REPLACE]
    private static void Restore(in RespRequest request, CommandContext context)
    {
        if (!TryGet(context, out var functions))
            return;
        var policy = RestorePolicy.Append;
        if (request.Count > 4)
            context.Reply.UnknownSubcommand(request[1], "FUNCTION"u8);
        else if (request.Count == 4 && !TryRead(request[3], out policy))
        {
            context.Reply.Error(
                "ERR Wrong restore policy given, value should be either FLUSH, APPEND or REPLACE."u8);
        }
        else if (context.TryGiveWay(long.MaxValue)) // As for one that is loaded.
            return;
        else if (DumpedFunctions.Open(request[2], ServerFunctions.CodeBytesMax, out var dumped) is { } problem)
            context.Reply.Error(Encoding.ASCII.GetBytes($"ERR {problem}"));
        else
        {
            Answer(
                functions.TryRestore(
                    dumped!.ReadCodes(), () => dumped.Problem, policy, context.Server.ScriptLogged),
                context);
        }
    }

    private static bool TryRead(ReadOnlySpan<byte> word, out RestorePolicy policy)
    {
        policy = word.Is("FLUSH"u8) ? RestorePolicy.Flush
            : word.Is("REPLACE"u8) ? RestorePolicy.Replace
            : RestorePolicy.Append;
        return policy != RestorePolicy.Append || word.Is("APPEND"u8);
    }

    private static void Answer(byte[]? error, CommandContext context)
    {
        if (error is null)
            context.Reply.Ok();
        else
            context.Reply.Error(error);
    }

    private static bool TryGet(CommandContext context, out ServerFunctions functions)
    {
        functions = context.Server.Functions!;
        if (context.Server.Functions is not null)
            return true;
        context.Reply.Error(ScriptTexts.NoInterpreter);
        return false;
    }
}
