using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;
using Cache.Server.Scripts;

namespace Cache.Server.Commands.Scripts;

/// <summary>Runs a function alone among the clients, as <see cref="ScriptCall"/> does a script.</summary>
internal static class FunctionCall
{
    /// <summary>FCALL or FCALL_RO function numkeys [key ...] [arg ...]</summary>
    public static void Execute(in RespRequest request, CommandContext context, bool isReadOnly)
    {
        if (!TryReadKeys(request, context, out int keyCount))
            ShownScript.Show(request, context);
        else if (!context.TryGiveWay(long.MaxValue)) // It waits for other clients' commands.
            Execute(request, keyCount, isReadOnly, context);
    }

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

    private static void Execute(in RespRequest request, int keyCount, bool isReadOnly, CommandContext context)
    {
        var body = new Body(request, keyCount, isReadOnly);
        if (context.IsInSection)
        {
            body.Run(context); // EXEC is alone then.
            return;
        }

        var databases = context.Server.Databases;
        if (!databases.TryBeginAlone(context, out var stay))
        {
            context.Reply.Error(
                databases.IsBusy
                    ? context.Server.BusyText
                    : "ERR commands of other clients took too long, try again"u8);
            return;
        }

        try
        {
            AtomicSection.RunUnlocked(ref body, context);
        }
        finally
        {
            databases.EndAlone(context, stay);
        }
    }

    // In the order of Redis.
    private static ReadOnlySpan<byte> FindProblem(ScriptFlags flags, bool isReadOnly, CommandContext context)
    {
        if ((flags & ScriptFlags.NoCluster) != 0 && context.Server.Cluster is not null)
            return ScriptTexts.RefusesCluster;
        return isReadOnly && (flags & ScriptFlags.NoWrites) == 0 ? ScriptTexts.MayWrite : default;
    }

    private readonly ref struct Body(RespRequest request, int keyCount, bool isReadOnly) : IAtomicBody
    {
        private readonly RespRequest _request = request;

        public void Run(CommandContext context)
        {
            ShownScript.Show(_request, context);
            var scripts = context.Server.Scripts!;
            using var gate = scripts.Enter(out var interpreter);
            if (!context.Server.Functions!.Table.TryFind(_request[1], out var function)) // Removed meanwhile.
            {
                context.Reply.Error(ScriptTexts.NoFunction);
                return;
            }

            var problem = FindProblem(function.Info.Flags, isReadOnly, context);
            if (problem.IsEmpty)
                Run(function, scripts, interpreter, context);
            else
                context.Reply.Error(problem);
        }

        private void Run(
            LibraryFunction function, ServerScripts scripts, IScriptInterpreter interpreter, CommandContext context)
        {
            int database = context.Client.Database;
            var host = context.BorrowScriptHost<ScriptHost>(static context => new ScriptHost(context));
            host.Begin(isReadOnly, isShort: false, new RequestSlice(_request, 3, keyCount));
            scripts.Present.Function.Begin(function.Info.Name, _request);
            scripts.Present.Begin(isFunction: true);
            context.Server.Databases.RefuseAfter(context.Server.Settings.BusyReplyMs);
            try
            {
                interpreter.Run(function, _request, keyCount, host, context.Reply);
            }
            finally
            {
                scripts.Present.End();
                scripts.Present.Function.End();
                host.ClearArguments();
                context.SelectDatabase(database); // As in Redis: what it selected ends with it.
            }
        }
    }
}
