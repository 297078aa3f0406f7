using Cache.Server.Clients;
using Cache.Server.Commands.Table;
using Cache.Server.Protocol;
using Cache.Server.Scripts;
using Cache.Server.Waits;

namespace Cache.Server.Commands.Dispatch;

/// <summary>Commands while a script holds its keys: who waits for its end, and who is refused.</summary>
/// <remarks>
/// A command that uses one of these keys, or keys that it does not name, is put off as by CLIENT PAUSE; and refused
/// once the script takes long. What has begun before is not refused. All others go on.
/// </remarks>
internal static class HeldCalls
{
    /// <summary>Puts a request off that must not be executed now, unless it is to be refused.</summary>
    /// <param name="held">The keys that are held.</param>
    /// <param name="command">The command.</param>
    /// <param name="request">The request.</param>
    /// <param name="context">The client.</param>
    /// <param name="isHeld">Whether it must not be executed now.</param>
    public static bool TryPutOff(
        HeldKeys held, CommandDefinition command, in RespRequest request, CommandContext context, out bool isHeld)
    {
        isHeld = Concerns(held, command, request, context);
        bool isPutOff = isHeld && (context.Progress is not null || !context.Server.Databases.IsBusyByNow());
        if (isPutOff)
            PutOff(context);
        return isPutOff;
    }

    private static bool Concerns(
        HeldKeys held, CommandDefinition command, in RespRequest request, CommandContext context)
    {
        if ((command.Flags & CommandFlags.AllowBusy) != 0 || HasItsReply(context))
            return false;
        if (command.Role == TransactionRole.Exec)
            return context.Client.IsQueueing && Concern(held, Transaction.Of(context), context);
        if (context.Client.IsQueueing && command.Role < TransactionRole.Control
            && !context.Server.Databases.IsBusyByNow())
        {
            return false; // It is queued.
        }

        return Concern(held, command, request, context.Server);
    }

    /// <summary>Puts off a request that would have to be alone, unless it is to be refused.</summary>
    public static bool TryPutOff(CommandContext context)
    {
        bool isPutOff = !context.Server.Databases.IsBusyByNow();
        if (isPutOff)
            PutOff(context);
        return isPutOff;
    }

    /// <summary>Parks the client until the script has ended, or takes long.</summary>
    private static void PutOff(CommandContext context)
    {
        var databases = context.Server.Databases;
        long number = context.Park(SuspensionReason.Pause, databases.FindRest());
        if (!databases.TryNotePutOff())
            context.Client.Suspension.TryEnd(number, SuspensionEnd.Event);
    }

    /// <summary>Whether a request uses held keys, of its client's keyspace, and nothing else.</summary>
    public static bool UseOnly(HeldKeys held, CommandDefinition command, in RespRequest request)
    {
        bool namesNone = command.KeySpecifications.Length == 0;
        bool mayUseOthers = command.Role > TransactionRole.Whole || command.IsWhole(request)
            || (namesNone ? (command.Flags & CommandFlags.ReadOnly) != 0 : command.NamesDatabase);
        if (mayUseOthers)
            return false;
        var found = new KeyEnumerator(command, request, 0);
        while (found.MoveNext())
        {
            if (!held.Has(request[found.Index]))
                return false;
        }

        return true;
    }

    private static bool Concern(HeldKeys held, Transaction transaction, CommandContext context)
    {
        if (transaction.IsRefused)
            return context.Server.Databases.IsBusyByNow(); // As in Redis, that is the reason then.
        foreach (var watch in transaction.Watches)
        {
            if (held.Has(watch.Key))
                return true;
        }

        var queue = transaction.Queue;
        for (int i = 0; i < queue.Count; i++)
        {
            // Whoever runs a script there is alone, whatever the script is.
            if (queue.CommandOf(i).RunsScript || Concern(held, queue.CommandOf(i), queue[i], context.Server))
                return true;
        }

        return false;
    }

    private static bool Concern(
        HeldKeys held, CommandDefinition command, in RespRequest request, ServerState server)
    {
        bool readsAll = command.KeySpecifications.Length == 0 && (command.Flags & CommandFlags.ReadOnly) != 0;
        if (command.Role == TransactionRole.Clear || readsAll || NamesAny(held, command, request))
            return true;
        return command.IsWhole(request)
            && !(command.RunsScript && IsSimple(command, request, server));
    }

    private static bool NamesAny(HeldKeys held, CommandDefinition command, in RespRequest request)
    {
        var found = new KeyEnumerator(command, request, 0);
        while (found.MoveNext())
        {
            if (held.Has(request[found.Index]))
                return true;
        }

        return false;
    }

    // It needs neither other keys nor the interpreter that is used now.
    private static bool IsSimple(CommandDefinition command, in RespRequest request, ServerState server)
    {
        if (server.Scripts is not { } scripts)
            return true; // It is refused.
        if (request.IsElsewhere(1))
            return false;
        if (command.Name is "fcall" or "fcall_ro")
            return server.Functions!.Table.TryFind(request[1], out var function) && function.Simple is not null;
        bool isText = command.Name is "eval" or "eval_ro";
        var digest = isText ? ScriptDigest.Of(request[1]) : default;
        return (isText || ScriptDigest.TryParse(request[1], out digest)) && scripts.Simple.Find(digest) is not null;
    }

    // Read from a snapshot, or served before; or its wait has ended without a try.
    private static bool HasItsReply(CommandContext context) => context.Progress switch
    {
        LongReply or WaitProgress { Waiter.Reply: not null } => true,
        not null => context.SuspensionEnd is not (SuspensionEnd.None or SuspensionEnd.Event),
        null => false,
    };
}
