using Cache.Server.Commands.Dispatch;
using Cache.Server.Protocol;
using Cache.Server.Scripts;

namespace Cache.Server.Commands.Scripts;

/// <summary>FCALL and FCALL_RO.</summary>
/// <remarks>As <see cref="ScriptCall"/>: a simple function with its keys locked, any other one alone.</remarks>
internal static class FunctionCall
{
    /// <summary>FCALL or FCALL_RO function numkeys [key ...] [arg ...]</summary>
    public static void Execute(in RespRequest request, CommandContext context, bool isReadOnly)
    {
        if (!TryReadKeys(request, context, out int keyCount))
            ShownScript.Show(request, context);
        else if (!TryExecuteLocked(request, keyCount, isReadOnly, context)
            && !LoneScript.TryExecuteHere(new Lone(isReadOnly), request, keyCount, isReadOnly, context)
            && !LoneScript.TryGiveWay(context))
        {
            LoneScript.Execute(new Lone(isReadOnly), request, keyCount, isReadOnly, context);
        }
    }

    // False: it has to be alone, or is refused, and nothing was done. It runs as it was when it was looked up, though
    // its library may be replaced meanwhile: it shares nothing with another one.
    private static bool TryExecuteLocked(
        in RespRequest request, int keyCount, bool isReadOnly, CommandContext context) =>
        !context.IsInSection && context.Server.Functions!.Table.TryFind(request[1], out var found)
            && found.Simple is { } function
            && FindProblem(function.Info.Flags, isReadOnly, context).IsEmpty
            && SimpleCall.TryExecute(function, request, keyCount, isReadOnly, context);

    private static bool TryReadKeys(in RespRequest request, CommandContext context, out int keyCount)
    {
        keyCount = 0;
        if (context.Server.Functions is not { } functions)
            context.Reply.Error(ScriptTexts.NoInterpreter);
        else if (!functions.Table.TryFind(request[1], out _))
            context.Reply.Error(ScriptTexts.NoFunction);
        else
        {
            return ScriptCommands.TryReadKeyCount(
                request, "ERR Bad number of keys provided"u8, context, out keyCount);
        }

        return false;
    }

    // In the order of Redis.
    private static ReadOnlySpan<byte> FindProblem(ScriptFlags flags, bool isReadOnly, CommandContext context)
    {
        if ((flags & ScriptFlags.NoCluster) != 0 && context.Server.Cluster is not null)
            return ScriptTexts.RefusesCluster;
        return isReadOnly && (flags & ScriptFlags.NoWrites) == 0 ? ScriptTexts.MayWrite : default;
    }

    private readonly struct Lone(bool isReadOnly) : ILoneScript
    {
        public ReadOnlySpan<byte> Begin(in RespRequest request, CommandContext context)
        {
            if (!context.Server.Functions!.Table.TryFind(request[1], out var function)) // Removed meanwhile.
                return ScriptTexts.NoFunction;
            var problem = FindProblem(function.Info.Flags, isReadOnly, context);
            if (!problem.IsEmpty)
                return problem;
            var present = context.Server.Scripts!.Present;
            present.Function.Begin(function.Info.Name, request);
            present.Begin(isFunction: true);
            return default;
        }

        // Under the gate of the scripts nobody has replaced the table since it began.
        public void Run(
            in RespRequest request, int keyCount, IScriptInterpreter interpreter, ScriptHost host,
            CommandContext context)
        {
            _ = context.Server.Functions!.Table.TryFind(request[1], out var function);
            interpreter.Run(function, request, keyCount, host, context.Reply);
        }

        public void End(CommandContext context)
        {
            var present = context.Server.Scripts!.Present;
            present.End();
            present.Function.End();
        }
    }
}
