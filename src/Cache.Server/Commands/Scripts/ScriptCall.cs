using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;
using Cache.Server.Scripts;

namespace Cache.Server.Commands.Scripts;

/// <summary>Runs a script.</summary>
/// <remarks>
/// As EXEC, in the first way that is right: a simple one whose plan allows it with its keys locked, on the thread of
/// the loop; any other one alone among the clients, on a thread for long commands.
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
        in RespRequest request, ScriptDigest digest, int keyCount, bool isReadOnly, CommandContext context)
    {
        if (context.IsInSection || context.Server.Scripts!.Simple.Find(digest) is not { Plan: ScriptPlan plan } script
            || !plan.TryDeclare(request, keyCount, context))
        {
            return false;
        }

        var body = new Locked(request, script, keyCount, isReadOnly);
        AtomicSection.Run(context.Keys, ref body, context);
        return true;
    }

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
        var body = new Alone(request, digest, keyCount, isNew, isReadOnly);
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

    private static ScriptHost BorrowHost(CommandContext context) =>
        context.BorrowScriptHost<ScriptHost>(static context => new ScriptHost(context));

    private readonly ref struct Locked(RespRequest request, SimpleScript script, int keyCount, bool isReadOnly)
        : IAtomicBody
    {
        private readonly RespRequest _request = request;

        public void Run(CommandContext context)
        {
            ShownScript.Show(_request, context);
            var host = BorrowHost(context);
            host.Begin(isReadOnly, isShort: true, new RequestSlice(_request, 3, keyCount));
            context.Server.Scripts!.Simple.Run(script, _request, keyCount, host, context.Reply);
            host.ClearArguments();
        }
    }

    private readonly ref struct Alone(
        RespRequest request, ScriptDigest digest, int keyCount, bool isNew, bool isReadOnly) : IAtomicBody
    {
        private readonly RespRequest _request = request;

        public void Run(CommandContext context)
        {
            ShownScript.Show(_request, context);
            var scripts = context.Server.Scripts!;
            using var gate = scripts.Enter(out var interpreter);
            if (FindProblem(scripts) is { } problem)
            {
                context.Reply.Error(problem);
                return;
            }

            int database = context.Client.Database;
            var host = BorrowHost(context);
            host.Begin(isReadOnly, isShort: false, new RequestSlice(_request, 3, keyCount));
            scripts.Present.Begin();
            context.Server.Databases.RefuseAfter(context.Server.Settings.BusyReplyMs);
            try
            {
                interpreter.Run(digest, _request, keyCount, host, context.Reply);
            }
            finally
            {
                scripts.Present.End();
                host.ClearArguments();
                context.SelectDatabase(database); // As in Redis: what it selected ends with it.
            }
        }

        private byte[]? FindProblem(ServerScripts scripts) => isNew
            ? scripts.TryAdd(digest, _request[1], isPassing: true)
            : scripts.Knows(digest) ? null : ScriptTexts.NoScript.ToArray();
    }
}
