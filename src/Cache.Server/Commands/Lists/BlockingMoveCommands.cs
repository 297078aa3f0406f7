using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;
using Cache.Server.Waits;

namespace Cache.Server.Commands.Lists;

/// <summary>The commands that move an element between two lists, or wait for one.</summary>
internal static class BlockingMoveCommands
{
    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("blmove", BLMove),
        new("brpoplpush", BRPopLPush),
    ];

    // BLMOVE source destination LEFT | RIGHT LEFT | RIGHT timeout
    private static void BLMove(in RespRequest request, CommandContext context)
    {
        if (BlockedCalls.TryEnd(context))
            return;
        if (ListEndName.TryParse(request[3], context.Reply, out var from)
            && ListEndName.TryParse(request[4], context.Reply, out var to)
            && BlockedCalls.TryReadTimeout(request[5], context, out var timeout))
        {
            Move(request, from, to, timeout, context);
        }
    }

    // BRPOPLPUSH source destination timeout
    private static void BRPopLPush(in RespRequest request, CommandContext context)
    {
        if (!BlockedCalls.TryEnd(context) && BlockedCalls.TryReadTimeout(request[3], context, out var timeout))
            Move(request, ListEnd.Right, ListEnd.Left, timeout, context);
    }

    private static void Move(
        in RespRequest request, ListEnd from, ListEnd to, TimeSpan timeout, CommandContext context)
    {
        if (request[2].Length > CacheStore.KeyLengthMax) // It can never be moved: nobody waits with a copy of it.
        {
            context.Reply.Refusal(WriteStatus.KeyTooLong);
            return;
        }

        var sink = new BulkReplySink(context.Reply);
        var status = BlockedCalls.MustQueue(request[1], EntryKind.List, context)
            ? FindObstacle(request[1], context.Store)
            : context.Store.List(request[1]).Move(from, request[2], to, ref sink);
        if (status == WriteStatus.NotFound && BlockedCalls.MayBlock(context))
        {
            var waiter = BlockedCalls.Earlier(context)
                ?? new MoveWaiter(context, request[1].ToArray(), from, request[2].ToArray(), to);
            BlockedCalls.Block(waiter, timeout, request, context);
            return;
        }

        if (status == WriteStatus.NotFound)
            context.Reply.Null();
        else if (status != WriteStatus.Done)
            context.Reply.Refusal(status);
        context.EndProgress();
    }

    // Others came before; yet a source of another kind is an error at once.
    private static WriteStatus FindObstacle(ReadOnlySpan<byte> source, CacheStore store) =>
        store.TryPeekInfo(source, out var info) && info.Kind != EntryKind.List
            ? WriteStatus.WrongType
            : WriteStatus.NotFound;

    private sealed class MoveWaiter(CommandContext context, byte[] source, ListEnd from, byte[] destination, ListEnd to)
        : Waiter(context.Client, context.Client.Database, EntryKind.List, [source])
    {
        protected internal override bool Uses(HeldKeys held) => base.Uses(held) || held.Has(destination);

        // A destination of another kind ends the wait with an error, and the element stays, as in Redis.
        protected internal override WaitOutcome TryServe(CacheStore store, byte[] key, RespReplyWriter reply)
        {
            if (!store.TryPeekInfo(key, out var info) || info.Kind != EntryKind.List)
                return WaitOutcome.Empty;
            if (info.MemoryBytes > LentBytesMax)
                return WaitOutcome.Itself;
            var sink = new BulkReplySink(reply);
            var status = store.List(key).Move(from, destination, to, ref sink);
            if (status == WriteStatus.NotFound)
                return WaitOutcome.Empty;
            if (status != WriteStatus.Done)
                reply.Refusal(status);
            return WaitOutcome.Served;
        }
    }
}
