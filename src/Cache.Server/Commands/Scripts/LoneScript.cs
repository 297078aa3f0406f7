using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Scripts;

/// <summary>Runs any script or function: on the thread of a loop, on one for long commands, or in a section.</summary>
/// <remarks>
/// No other client executes a command meanwhile. If that takes long those go on who use no key that it declares; until
/// it uses one that it does not, or more than keys.
/// </remarks>
internal static class LoneScript
{
    /// <summary>
    /// As <see cref="CommandContext.TryGiveWay(long)"/>: several scripts of a client may follow each other on a
    /// worker's thread, as long as its turn lasts.
    /// </summary>
    public static bool TryGiveWay(CommandContext context) =>
        (!context.IsAtWorker || context.Client.Turn.IsOver(context.Server.TimeProvider))
        && context.TryGiveWay(long.MaxValue); // It waits for other clients' commands.

    /// <summary>
    /// Runs it on the thread of the loop, which gets another one if that takes long, and writes its reply.
    /// </summary>
    /// <param name="script">The script.</param>
    /// <param name="request">The request, checked: name, script, number of keys, keys, arguments.</param>
    /// <param name="keyCount">The number of its keys.</param>
    /// <param name="isReadOnly">Whether it may not write.</param>
    /// <param name="context">The client.</param>
    /// <returns>False: it would have to wait for others, or took long before, and nothing was done.</returns>
    public static bool TryExecuteHere<TScript>(
        TScript script, in RespRequest request, int keyCount, bool isReadOnly, CommandContext context)
        where TScript : struct, ILoneScript
    {
        var databases = context.Server.Databases;
        var memory = context.Server.Scripts!.Durations;
        if (!context.SharesThread || context.IsAtWorker || !memory.IsShort(request[1])
            || context.Client.Owner is not { } owner || !owner.TryBeginLong())
        {
            return false;
        }

        try
        {
            if (!databases.TryBeginAloneAtOnce(context, out var stay))
                return false;
            try
            {
                long start = TimeProvider.System.GetTimestamp();
                var body = new Body<TScript>(script, request, keyCount, isReadOnly, mayHold: true);
                AtomicSection.RunUnlocked(ref body, context);
                memory.Note(request[1], TimeProvider.System.GetElapsedTime(start));
            }
            finally
            {
                databases.EndAlone(context, stay);
            }
        }
        finally
        {
            owner.EndLong();
        }

        return true;
    }

    /// <summary>Runs it, and writes its reply; or puts the request off.</summary>
    /// <param name="script">The script.</param>
    /// <param name="request">The request, checked: name, script, number of keys, keys, arguments.</param>
    /// <param name="keyCount">The number of its keys.</param>
    /// <param name="isReadOnly">Whether it may not write.</param>
    /// <param name="context">The client.</param>
    public static void Execute<TScript>(
        TScript script, in RespRequest request, int keyCount, bool isReadOnly, CommandContext context)
        where TScript : struct, ILoneScript
    {
        if (context.IsInSection)
        {
            var inside = new Body<TScript>(script, request, keyCount, isReadOnly, mayHold: false);
            inside.Run(context); // EXEC is alone then.
            return;
        }

        var databases = context.Server.Databases;
        if (!databases.TryBeginAlone(context, out var stay, out bool isHeld))
        {
            if (!isHeld || !HeldCalls.TryPutOff(context))
            {
                context.Reply.Error(
                    databases.IsBusy
                        ? context.Server.BusyText
                        : "ERR commands of other clients took too long, try again"u8);
            }

            return;
        }

        var body = new Body<TScript>(script, request, keyCount, isReadOnly, mayHold: true);
        try
        {
            AtomicSection.RunUnlocked(ref body, context);
        }
        finally
        {
            databases.EndAlone(context, stay);
        }
    }

    private readonly ref struct Body<TScript>(
        TScript script, RespRequest request, int keyCount, bool isReadOnly, bool mayHold) : IAtomicBody
        where TScript : struct, ILoneScript
    {
        private readonly RespRequest _request = request;

        public void Run(CommandContext context)
        {
            ShownScript.Show(_request, context);
            using var gate = context.Server.Scripts!.Enter(out var interpreter);
            var problem = script.Begin(_request, context);
            if (!problem.IsEmpty)
            {
                context.Reply.Error(problem);
                return;
            }

            int database = context.Client.Database;
            var host = ScriptHost.Borrow(context);
            host.Begin(isReadOnly, isShort: false, new RequestSlice(_request, 3, keyCount));
            context.Server.Databases.RefuseAfter(context.Server.Settings.BusyReplyMs);
            if (mayHold) // Behind it: who is put off asks when it will be refused.
                host.HoldKeys(new RequestSlice(_request, 3, keyCount));
            try
            {
                script.Run(_request, keyCount, interpreter, host, context);
            }
            finally
            {
                script.End(context);
                host.ClearArguments();
                context.SelectDatabase(database); // As in Redis: what it selected ends with it.
            }
        }
    }
}
