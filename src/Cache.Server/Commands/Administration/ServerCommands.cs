using Cache.Durability.Control;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Administration;

/// <summary>DBSIZE, FLUSHDB, FLUSHALL, SWAPDB, TIME.</summary>
internal static class ServerCommands
{
    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("dbsize", DatabaseSize),
        new("flushdb", static (in RespRequest request, CommandContext context) =>
            Flush(request, context, all: false)),
        new("flushall", static (in RespRequest request, CommandContext context) =>
            Flush(request, context, all: true)),
        new("swapdb", SwapDatabases),
        new("time", Time),
    ];

    private static void DatabaseSize(in RespRequest request, CommandContext context) =>
        context.Reply.Integer(context.Store.Count);

    private static void Flush(in RespRequest request, CommandContext context, bool all)
    {
        if (!TryReadFlushMode(request, context))
            return;
        if (!(all ? context.Store.TryClearAll() : context.Store.TryClear()))
        {
            if (context.TryGiveWay(long.MaxValue))
                return;
            if (context.HoldsKeys)
            {
                context.Reply.Error("ERR earlier flushes must be completed first, try again"u8);
                return;
            }

            if (all)
                context.Store.ClearAll();
            else
                context.Store.Clear();
        }

        context.Server.NoteFlush();
        if (all)
            SaveFlushed(context.Server);
        context.Reply.Ok();
    }

    // As in Redis: flushed entries do not come back after a crash.
    private static void SaveFlushed(ServerState server)
    {
        if (server.Durability is { IsRecording: false, SavePoints.Count: > 0, SnapshotJobs: { } jobs })
            jobs.Schedule(SnapshotPurpose.Save);
    }

    // Both modes are accepted and mean the same: clearing the store does not visit its values. Only after several
    // clears in a row there is work to do first, on another thread.
    private static bool TryReadFlushMode(in RespRequest request, CommandContext context)
    {
        if (request.Count == 1 || (request.Count == 2 && (request[1].Is("ASYNC"u8) || request[1].Is("SYNC"u8))))
            return true;
        context.Reply.Error(ErrorTexts.Syntax);
        return false;
    }

    // Redis tells clients nothing of a swap, so that what they have cached of the two stays.
    private static void ConfirmSwap(CommandContext context)
    {
        context.Server.Tracking.NoteAll();
        context.Reply.Ok();
    }

    // SWAPDB index1 index2
    private static void SwapDatabases(in RespRequest request, CommandContext context)
    {
        int count = context.Server.Databases.Count;
        if (context.Server.Cluster is not null)
            context.Reply.Error("ERR SWAPDB is not allowed in cluster mode"u8);
        else if (!TryParseIndex(request[1], out int first))
            context.Reply.Error("ERR invalid first DB index"u8);
        else if (!TryParseIndex(request[2], out int second))
            context.Reply.Error("ERR invalid second DB index"u8);
        else if ((uint)first >= (uint)count || (uint)second >= (uint)count)
            context.Reply.Error(ErrorTexts.KeyspaceOutOfRange);
        else if (first == second)
            context.Reply.Ok();
        else if (context.TryGiveWay(long.MaxValue)) // It waits for other clients' commands.
            return;
        else if (context.TrySwapDatabases(first, second, out bool isHeld))
            ConfirmSwap(context);
        else if (!isHeld || !HeldCalls.TryPutOff(context))
            context.Reply.Error("ERR commands of other clients took too long; nothing was swapped, try again"u8);
    }

    private static bool TryParseIndex(ReadOnlySpan<byte> argument, out int index)
    {
        bool isIndex = RespInteger.TryParse(argument, out long value) && value is >= int.MinValue and <= int.MaxValue;
        index = isIndex ? (int)value : 0;
        return isIndex;
    }

    private static void Time(in RespRequest request, CommandContext context)
    {
        long microseconds = context.Server.UnixMicroseconds;
        context.Reply.ArrayHeader(2);
        context.Reply.BulkInteger(microseconds / 1_000_000);
        context.Reply.BulkInteger(microseconds % 1_000_000);
    }
}
