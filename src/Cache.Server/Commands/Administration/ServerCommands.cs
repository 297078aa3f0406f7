using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Administration;

/// <summary>DBSIZE, FLUSHDB, FLUSHALL, TIME.</summary>
internal static class ServerCommands
{
    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("dbsize", DatabaseSize),
        new("flushdb", FlushDatabase),
        new("flushall", FlushAll),
        new("time", Time),
    ];

    private static void DatabaseSize(in RespRequest request, CommandContext context) =>
        context.Reply.Integer(context.Store.Count);

    private static void FlushDatabase(in RespRequest request, CommandContext context)
    {
        if (!TryReadFlushMode(request, context))
            return;
        if (!context.Store.TryClear())
        {
            if (context.TryGiveWay(long.MaxValue))
                return;
            context.Store.Clear();
        }

        context.Reply.Ok();
    }

    private static void FlushAll(in RespRequest request, CommandContext context)
    {
        if (!TryReadFlushMode(request, context))
            return;
        if (!context.Store.TryClearAll())
        {
            if (context.TryGiveWay(long.MaxValue))
                return;
            context.Store.ClearAll();
        }

        context.Reply.Ok();
    }

    // Both modes are taken and mean the same: clearing the store does not visit its values. Only after several in a row
    // there is something to do first, elsewhere.
    private static bool TryReadFlushMode(in RespRequest request, CommandContext context)
    {
        if (request.Count == 1 || (request.Count == 2 && (request[1].Is("ASYNC"u8) || request[1].Is("SYNC"u8))))
            return true;
        context.Reply.Error(ErrorTexts.Syntax);
        return false;
    }

    private static void Time(in RespRequest request, CommandContext context)
    {
        long microseconds = context.Server.UnixMicroseconds;
        context.Reply.ArrayHeader(2);
        context.Reply.BulkInteger(microseconds / 1_000_000);
        context.Reply.BulkInteger(microseconds % 1_000_000);
    }
}
