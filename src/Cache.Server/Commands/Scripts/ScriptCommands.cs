using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;
using Cache.Server.Scripts;

namespace Cache.Server.Commands.Scripts;

/// <summary>EVAL, EVALSHA, their forms that only read, and SCRIPT.</summary>
internal static class ScriptCommands
{
    private static readonly string[] _help =
    [
        "SCRIPT <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
        "DEBUG (YES|SYNC|NO)",
        "    Set the debug mode for subsequent scripts executed.",
        "EXISTS <sha1> [<sha1> ...]",
        "    Return information about the existence of the scripts in the script cache.",
        "FLUSH [ASYNC|SYNC]",
        "    Flush the Lua scripts cache. Very dangerous on replicas.",
        "    When called without the optional mode argument, the behavior is determined by the",
        "    lazyfree-lazy-user-flush configuration directive. Valid modes are:",
        "    * ASYNC: Asynchronously flush the scripts cache.",
        "    * SYNC: Synchronously flush the scripts cache.",
        "KILL",
        "    Kill the currently executing Lua script.",
        "LOAD <script>",
        "    Load a script into the scripts cache without executing it.",
        "HELP",
        "    Prints this help.",
    ];

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("eval", static (in RespRequest r, CommandContext c) => Eval(r, c, isReadOnly: false)),
        new("eval_ro", static (in RespRequest r, CommandContext c) => Eval(r, c, isReadOnly: true)),
        new("evalsha", static (in RespRequest r, CommandContext c) => EvalSha(r, c, isReadOnly: false)),
        new("evalsha_ro", static (in RespRequest r, CommandContext c) => EvalSha(r, c, isReadOnly: true)),
        new("script|load", Load),
        new("script|exists", Exists),
        new("script|flush", Flush),
        new("script|kill", Kill),
        new("script|debug", Debug),
        new("script|help", static (in RespRequest _, CommandContext c) => c.Reply.Help(_help)),
    ];

    // EVAL script numkeys [key ...] [arg ...]
    private static void Eval(in RespRequest request, CommandContext context, bool isReadOnly)
    {
        if (TryReadKeys(request, context, out int keyCount))
            Run(request, ScriptDigest.Of(request[1]), keyCount, isNew: true, isReadOnly, context);
        else
            ShownScript.Show(request, context);
    }

    // EVALSHA sha1 numkeys [key ...] [arg ...]
    private static void EvalSha(in RespRequest request, CommandContext context, bool isReadOnly)
    {
        var digest = default(ScriptDigest);
        int keyCount = 0;
        if (context.Server.Scripts is not null && request[1].Length != ScriptDigest.NameLength)
            context.Reply.Error(ScriptTexts.NoScript);
        else if (!TryReadKeys(request, context, out keyCount))
        {
            // The error is written.
        }
        else if (!ScriptDigest.TryParse(request[1], out digest))
            context.Reply.Error(ScriptTexts.NoScript);
        else
        {
            Run(request, digest, keyCount, isNew: false, isReadOnly, context);
            return;
        }

        ShownScript.Show(request, context);
    }

    private static void Run(
        in RespRequest request, ScriptDigest digest, int keyCount, bool isNew, bool isReadOnly, CommandContext context)
    {
        if (!ScriptCall.TryExecuteLocked(request, digest, keyCount, isReadOnly, context)
            && !ScriptCall.TryExecuteHere(request, digest, keyCount, isNew, isReadOnly, context)
            && !LoneScript.TryGiveWay(context))
        {
            ScriptCall.Execute(request, digest, keyCount, isNew, isReadOnly, context);
        }
    }

    private static bool TryReadKeys(in RespRequest request, CommandContext context, out int keyCount)
    {
        keyCount = 0;
        return TryGet(context, out _) && TryReadKeyCount(request, ErrorTexts.NotAnInteger, context, out keyCount);
    }

    /// <summary>Reads the number of keys of a script or a function; false: the error is written.</summary>
    public static bool TryReadKeyCount(
        in RespRequest request, ReadOnlySpan<byte> noNumber, CommandContext context, out int keyCount)
    {
        keyCount = 0;
        if (!RespInteger.TryParse(request[2], out long count))
            context.Reply.Error(noNumber);
        else if (count > request.Count - 3)
            context.Reply.Error("ERR Number of keys can't be greater than number of args"u8);
        else if (count < 0)
            context.Reply.Error("ERR Number of keys can't be negative"u8);
        else
        {
            keyCount = (int)count;
            return true;
        }

        return false;
    }

    // SCRIPT LOAD script
    private static void Load(in RespRequest request, CommandContext context)
    {
        if (!TryGet(context, out var scripts))
            return;
        var digest = ScriptDigest.Of(request[2]);
        if (scripts.TryAdd(digest, request[2], isPassing: false) is { } error)
            context.Reply.Error(error);
        else
            context.Reply.Bulk(System.Text.Encoding.ASCII.GetBytes(digest.ToString()));
    }

    // SCRIPT EXISTS sha1 [sha1 ...]
    private static void Exists(in RespRequest request, CommandContext context)
    {
        if (!TryGet(context, out var scripts))
            return;
        context.Reply.ArrayHeader(request.Count - 2);
        for (int i = 2; i < request.Count; i++)
            context.Reply.ZeroOrOne(ScriptDigest.TryParse(request[i], out var digest) && scripts.Knows(digest));
    }

    // SCRIPT FLUSH [ASYNC | SYNC]
    private static void Flush(in RespRequest request, CommandContext context)
    {
        if (!TryGet(context, out var scripts))
            return;
        if (request.Count > 3 || (request.Count == 3 && !request[2].Is("SYNC"u8) && !request[2].Is("ASYNC"u8)))
        {
            context.Reply.Error("ERR SCRIPT FLUSH only support SYNC|ASYNC option"u8);
            return;
        }

        scripts.Flush();
        context.Reply.Ok();
    }

    // SCRIPT KILL
    private static void Kill(in RespRequest request, CommandContext context)
    {
        if (!TryGet(context, out var scripts))
            return;
        Kill(scripts, isFunction: false, context);
    }

    /// <summary>Ends the script that runs, if it is a function or not, and tells what became of that.</summary>
    public static void Kill(ServerScripts scripts, bool isFunction, CommandContext context)
    {
        switch (scripts.Present.TryKill(isFunction))
        {
            case ScriptKill.Done:
                context.Reply.Ok();
                break;
            case ScriptKill.HasWritten:
                context.Reply.Error(ScriptTexts.HasWritten);
                break;
            case ScriptKill.IsOfOtherKind:
                context.Reply.Error(isFunction ? ErrorTexts.Busy : ErrorTexts.BusyWithFunction);
                break;
            default:
                context.Reply.Error(ScriptTexts.NoneRuns);
                break;
        }
    }

    // SCRIPT DEBUG YES | SYNC | NO
    private static void Debug(in RespRequest request, CommandContext context)
    {
        if (!TryGet(context, out _))
            return;
        if (request[2].Is("NO"u8))
            context.Reply.Ok();
        else
            context.Reply.Error("ERR this server has no debugger of scripts"u8);
    }

    private static bool TryGet(CommandContext context, out ServerScripts scripts)
    {
        scripts = context.Server.Scripts!;
        if (context.Server.Scripts is not null)
            return true;
        context.Reply.Error(ScriptTexts.NoInterpreter);
        return false;
    }
}
