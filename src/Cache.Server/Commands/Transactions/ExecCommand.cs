using System.Runtime.CompilerServices;
using System.Text;
using Cache.Core;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Commands.Table;
using Cache.Server.Protocol;
using Cache.Server.Security;
using Cache.Server.Watches;

namespace Cache.Server.Commands.Transactions;

/// <summary>EXEC.</summary>
/// <remarks>
/// Three ways, of which the queue chooses the first that is right:
/// <code>
///  all keys are named, little work      locked, on the thread of the loop
///  all keys are named                   locked, on a thread for long commands
///  others (KEYS, SORT with BY, ...)     alone among the clients, there; what names its keys is locked besides
/// </code>
/// </remarks>
internal static class ExecCommand
{
    private const string ChangedRules =
        "NOPERM ACLs rules changed between the moment the transaction was accumulated and the EXEC call. This command "
        + "is no longer allowed for the following reason: ";

    private static readonly byte[] _noCommand =
        Encoding.ASCII.GetBytes(ChangedRules + "no permission to execute the command or subcommand");

    private static readonly byte[] _noChannels =
        Encoding.ASCII.GetBytes(ChangedRules + "no permission to access one of the channels used as arguments");

    private static readonly byte[] _noKeys =
        Encoding.ASCII.GetBytes(ChangedRules + "no permission to touch the specified keys");

    public static void Execute(in RespRequest request, CommandContext context)
    {
        if (!context.Client.IsQueueing)
        {
            context.Reply.Error("ERR EXEC without MULTI"u8);
            return;
        }

        var transaction = Transaction.Of(context);
        if (transaction.IsRefused)
        {
            transaction.Reset();
            context.Reply.Error("EXECABORT Transaction discarded because of previous errors."u8);
            return;
        }

        var plan = new TransactionPlan(transaction.Queue, context);
        if (context.SharesThread && !plan.IsShort
            && context.TryGiveWay(plan.NeedsAll ? long.MaxValue : plan.FindWork()))
        {
            return;
        }

        try
        {
            if (transaction.IsVoid)
                context.Reply.NullArray();
            else if (plan.NeedsAll)
                ExecuteAlone(transaction, context);
            else
                ExecuteLocked(plan, transaction, context);
        }
        finally
        {
            if (!context.GaveWay)
            {
                transaction.Reset();
                DropLateMessages(context);
            }
        }
    }

    // What came by subscriptions that were made and ended within would come behind their ends, which are elements of
    // the reply; and in RESP2 a client that has no subscription takes it for the reply to its next request.
    private static void DropLateMessages(CommandContext context)
    {
        var client = context.Client;
        if (client is not { Outbox: { } outbox, ProtocolVersion: 2, IsSubscriber: false, IsMonitor: false })
            return;
        while (outbox.TryTake(out _))
        {
        }
    }

    private static void ExecuteLocked(in TransactionPlan plan, Transaction transaction, CommandContext context)
    {
        var keys = context.Keys;
        keys.Clear();
        TransactionPlan.Declare(transaction.Watches, keys);
        plan.Declare(0, transaction.Queue.Count, keys);
        var body = new Body(transaction, 0, transaction.Queue.Count, checksWatches: true, writesHeader: true);
        AtomicSection.Run(keys, ref body, context);
        if (body.IsVoid)
            context.Reply.NullArray();
    }

    private static void ExecuteAlone(Transaction transaction, CommandContext context)
    {
        if (!AtomicSection.TryRunAlone(() => ExecuteParts(transaction, context), context, out bool isHeld))
        {
            if (isHeld && HeldCalls.TryPutOff(context))
                return;
            context.Reply.Error(context.Server.Databases.IsBusy
                ? (byte[])[.. ErrorTexts.ExecAbort, .. context.Server.BusyText]
                : "EXECABORT Transaction discarded because of: commands of other clients took too long, try again"u8);
        }
    }

    private static void ExecuteParts(Transaction transaction, CommandContext context)
    {
        if (IsVoid(transaction, context))
        {
            context.Reply.NullArray();
            return;
        }

        var queue = transaction.Queue;
        context.Reply.ArrayHeader(queue.Count);
        var keys = context.Keys;
        for (int first = 0, end; first < queue.Count; first = end)
        {
            var plan = new TransactionPlan(queue, context); // The numbers of databases may have changed.
            bool isWhole = plan.IsWhole(first);
            for (end = first + 1; end < queue.Count && !isWhole && !plan.IsWhole(end); end++)
            {
            }

            var body = new Body(transaction, first, end, checksWatches: false, writesHeader: false);
            keys.Clear();
            if (!isWhole)
                plan.Declare(first, end, keys);
            if (isWhole)
                AtomicSection.RunUnlocked(ref body, context);
            else
                AtomicSection.Run(keys, ref body, context);
        }
    }

    private static bool IsVoid(Transaction transaction, CommandContext context)
    {
        if (transaction.WatchedCount == 0)
            return false;
        context.Keys.Clear();
        TransactionPlan.Declare(transaction.Watches, context.Keys);
        var body = new Body(transaction, 0, 0, checksWatches: true, writesHeader: false);
        AtomicSection.Run(context.Keys, ref body, context);
        return body.IsVoid;
    }

    // A part of the queue. checksWatches: Before anything else. writesHeader: Of all replies.
    private ref struct Body(Transaction transaction, int first, int end, bool checksWatches, bool writesHeader)
        : IAtomicBody
    {
        /// <summary>Whether nothing was executed, since a watched key was changed.</summary>
        public bool IsVoid { get; private set; }

        public void Run(CommandContext context)
        {
            IsVoid = checksWatches && transaction.WatchedCount > 0 && HasChanged(transaction.Watches, context);
            if (IsVoid)
                return;
            if (writesHeader)
                context.Reply.ArrayHeader(transaction.Queue.Count);
            bool mayShareTime = !context.NoticesShortCalls;
            for (int i = first; i < end; i++)
            {
                context.Times.Share(mayShareTime && i + 1 < end && IsSameNext(transaction.Queue, i, context));
                ExecuteOne(transaction.Queue, i, context);
            }
        }
    }

    // The next call is made for certain: it is not denied.
    private static bool IsSameNext(RequestQueue queue, int index, CommandContext context)
    {
        var command = queue.CommandOf(index);
        return command == queue.CommandOf(index + 1) && command.Work == CommandWork.Short
            && context.Client.User.Rules.AllowsFreely(command);
    }

    // Under the locks of the keys: what was not noted has not happened. A large collection may be written by a thread
    // that asked before whether its key was locked, which its reader waits for.
    private static bool HasChanged(IReadOnlyList<WatchedName> watches, CommandContext context)
    {
        foreach (var watch in watches)
        {
            var store = context.Store.SelectKeyspace(watch.Keyspace);
            bool isThere = store.TryPeekInfo(watch.Key, out var info);
            if (isThere && info.Kind != EntryKind.String)
                store.TryPeekCollection(watch.Key, out _);
            if (watch.IsTouched || (watch.WasThere && !isThere))
                return true;
        }

        return false;
    }

    private static void ExecuteOne(RequestQueue queue, int index, CommandContext context)
    {
        var command = queue.CommandOf(index);
        var request = queue[index];
        if (context.Client.ShouldClose || context.IsReplyOverLimit)
            context.DropReplies(); // The connection ends; what is queued is executed all the same.
        if (!context.Client.User.Rules.AllowsFreely(command) && TryDeny(command, request, context))
        {
            context.Times.TakeShared(); // Its rights were taken a moment ago.
            return;
        }

        CommandDispatcher.ExecuteInside(command, request, queue.ElsewhereOf(index), context);
    }

    [MethodImpl(MethodImplOptions.NoInlining)] // Cold.
    private static bool TryDeny(CommandDefinition command, in RespRequest request, CommandContext context)
    {
        var user = context.Client.User;
        var denial = user.Rules.Check(command, request, 0, out int argument);
        if (denial == AclDenial.None)
            return false;
        bool isCommand = denial == AclDenial.Command;
        string name = isCommand ? command.Name : Encoding.Latin1.GetString(AclLog.Shorten(request[argument]));
        context.Server.LogDenial(denial, name, user.Name, context.Client, AclLogPlace.Transaction);
        context.Reply.Error(isCommand ? _noCommand : denial == AclDenial.Channel ? _noChannels : _noKeys);
        context.Server.Statistics.CountError(context.Reply.ErrorCode);
        _ = context.Reply.TakeErrors();
        return true;
    }
}
