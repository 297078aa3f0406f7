using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Transactions;

/// <summary>MULTI, EXEC, DISCARD, WATCH, UNWATCH.</summary>
internal static class TransactionCommands
{
    // Of a key that is watched, in steps of a nanosecond: two locks, a copy and a look into the store.
    private const long WatchWork = 3_000;

    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("multi", Multi),
        new("exec", ExecCommand.Execute),
        new("discard", Discard),
        new("watch", Watch),
        new("unwatch", Unwatch),
    ];

    // MULTI
    private static void Multi(in RespRequest request, CommandContext context)
    {
        if (context.Client.IsQueueing)
        {
            context.Reply.Error("ERR MULTI calls can not be nested"u8);
            return;
        }

        Transaction.Of(context).Begin();
        context.Reply.Ok();
    }

    // DISCARD
    private static void Discard(in RespRequest request, CommandContext context)
    {
        if (!context.Client.IsQueueing)
        {
            context.Reply.Error("ERR DISCARD without MULTI"u8);
            return;
        }

        Transaction.Of(context).Reset();
        context.Reply.Ok();
    }

    // WATCH key [key ...]
    private static void Watch(in RespRequest request, CommandContext context)
    {
        if (context.Client.IsQueueing)
        {
            context.Reply.Error("ERR WATCH inside MULTI is not allowed"u8);
            return;
        }

        if (context.TryGiveWay(request.Count * WatchWork))
            return;
        var transaction = Transaction.Of(context);
        for (int i = 1; i < request.Count && !transaction.IsVoid; i++) // Once it is void, more change nothing.
            transaction.Watch(context.Store, request[i]);
        context.Reply.Ok();
    }

    // UNWATCH
    private static void Unwatch(in RespRequest request, CommandContext context)
    {
        (context.Client.Transaction as Transaction)?.Unwatch();
        context.Reply.Ok();
    }
}
