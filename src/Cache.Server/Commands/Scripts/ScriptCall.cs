using Cache.Server.Commands.Dispatch;
using Cache.Server.Protocol;
using Cache.Server.Scripts;

namespace Cache.Server.Commands.Scripts;

/// <summary>Runs a script.</summary>
/// <remarks>
/// As EXEC, in the first way that is right: a simple one whose plan allows it with its keys locked, on the thread of
/// the loop; any other one alone among the clients, there too, or, if it took long before, on a thread for long
/// commands.
/// </remarks>
internal static class ScriptCall
{
    /// <summary>Runs a simple script with its keys locked, and writes its reply.</summary>
    /// <param name="request">The request, checked.</param>
    /// <param name="digest">The script.</param>
    /// <param name="keyCount">The number of its keys.</param>
    /// <param name="isReadOnly">Whether it may not write.</param>
    /// <param name="context">The client.</param>
    /// <returns>False: it has to be alone, or is not known, and nothing was done.</returns>
    public static bool TryExecuteLocked(
        in RespRequest request, ScriptDigest digest, int keyCount, bool isReadOnly, CommandContext context) =>
        !context.IsInSection && context.Server.Scripts!.Simple.Find(digest) is { } script
            && SimpleCall.TryExecute(script, request, keyCount, isReadOnly, context);

    /// <summary>Runs any script on the thread of the loop, and writes its reply.</summary>
    /// <param name="request">The request, checked.</param>
    /// <param name="digest">The script.</param>
    /// <param name="keyCount">The number of its keys.</param>
    /// <param name="isNew">Whether the request has its text.</param>
    /// <param name="isReadOnly">Whether it may not write.</param>
    /// <param name="context">The client.</param>
    /// <returns>False: not now, and nothing was done.</returns>
    public static bool TryExecuteHere(
        in RespRequest request, ScriptDigest digest, int keyCount, bool isNew, bool isReadOnly,
        CommandContext context) =>
        LoneScript.TryExecuteHere(new Lone(digest, isNew), request, keyCount, isReadOnly, context);

    /// <summary>Runs a script, and writes its reply.</summary>
    /// <param name="request">The request, checked.</param>
    /// <param name="digest">The script.</param>
    /// <param name="keyCount">The number of its keys.</param>
    /// <param name="isNew">Whether the request has its text.</param>
    /// <param name="isReadOnly">Whether it may not write.</param>
    /// <param name="context">The client, on a thread for long commands or in a section.</param>
    public static void Execute(
        in RespRequest request, ScriptDigest digest, int keyCount, bool isNew, bool isReadOnly, CommandContext context)
    {
        LoneScript.Execute(new Lone(digest, isNew), request, keyCount, isReadOnly, context);
    }

    private readonly struct Lone(ScriptDigest digest, bool isNew) : ILoneScript
    {
        public ReadOnlySpan<byte> Begin(in RespRequest request, CommandContext context)
        {
            var scripts = context.Server.Scripts!;
            if (isNew && scripts.TryAdd(digest, request[1], isPassing: true) is { } error)
                return error;
            if (!scripts.Knows(digest))
                return ScriptTexts.NoScript;
            scripts.Present.Begin();
            return default;
        }

        public void Run(
            in RespRequest request, int keyCount, IScriptInterpreter interpreter, ScriptHost host,
            CommandContext context) =>
            interpreter.Run(digest, request, keyCount, host, context.Reply);

        public void End(CommandContext context) => context.Server.Scripts!.Present.End();
    }
}
