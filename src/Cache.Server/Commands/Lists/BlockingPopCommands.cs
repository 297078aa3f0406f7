using Cache.Core;
using Cache.Server.Clients;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;
using Cache.Server.Waits;

namespace Cache.Server.Commands.Lists;

/// <summary>The commands that take elements from lists, or wait for some.</summary>
internal static class BlockingPopCommands
{
    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("blpop", BLPop),
        new("brpop", BRPop),
        new("blmpop", BLMPop),
    ];

    // BLPOP key [key ...] timeout
    private static void BLPop(in RespRequest request, CommandContext context) =>
        PopOne(request, ListEnd.Left, context);

    // BRPOP key [key ...] timeout
    private static void BRPop(in RespRequest request, CommandContext context) =>
        PopOne(request, ListEnd.Right, context);

    // BLMPOP timeout numkeys key [key ...] LEFT | RIGHT [COUNT count]
    private static void BLMPop(in RespRequest request, CommandContext context)
    {
        if (BlockedCalls.TryEnd(context))
            return;
        if (ListPopManyCommand.TryParse(request, 2, context.Reply, out var keys, out var end, out long count)
            && BlockedCalls.TryReadTimeout(request[1], context, out var timeout))
        {
            Pop(keys, new ListPop(end, count, HasCount: true), timeout, context);
        }
    }

    private static void PopOne(in RespRequest request, ListEnd end, CommandContext context)
    {
        if (BlockedCalls.TryEnd(context))
            return;
        var keys = new RequestSlice(request, 1, request.Count - 2);
        if (BlockedCalls.TryReadTimeout(request[^1], context, out var timeout))
            Pop(keys, new ListPop(end, 1, HasCount: false), timeout, context);
    }

    private static void Pop(RequestSlice keys, ListPop pop, TimeSpan timeout, CommandContext context)
    {
        if (ListPopManyCommand.TryGiveWay(keys, context))
            return;
        using var elements = context.BorrowList();
        var status = BlockedCalls.MustQueue(keys, EntryKind.List, context)
            ? PopBehindOthers(keys, pop, elements, context, out int index)
            : ListPopManyCommand.Pop(keys, pop.End, pop.Count, elements, context.Store, out index);
        if (status == WriteStatus.NotFound && BlockedCalls.MayBlock(context))
        {
            var waiter = BlockedCalls.Earlier(context) ?? new PopWaiter(context, WaitedKeys.Of(keys), pop);
            BlockedCalls.Block(waiter, timeout, context);
            return;
        }

        if (status == WriteStatus.Done)
            pop.Reply(keys.GetKey(index), elements, context.Reply);
        else if (status == WriteStatus.NotFound)
            context.Reply.NullArray();
        else
            context.Reply.Refusal(status);
        context.EndProgress();
    }

    // What those get that came before is none of its business; yet a key of another kind is an error at once.
    private static WriteStatus PopBehindOthers(
        RequestSlice keys, ListPop pop, ByteStringList elements, CommandContext context, out int index)
    {
        var status = WriteStatus.NotFound;
        var sink = new ListElementsSink(elements);
        for (index = 0; index < keys.Count && status == WriteStatus.NotFound; index++)
        {
            var key = keys.GetKey(index);
            if (!BlockedCalls.MustQueue(key, EntryKind.List, context))
                status = context.Store.List(key).PopMany(pop.End, pop.Count, ref sink);
            else if (context.Store.TryPeekInfo(key, out var info) && info.Kind != EntryKind.List)
                status = WriteStatus.WrongType;
        }

        index--;
        return status;
    }

    // What is taken, and how it is told: one element, or several in an array.
    private readonly record struct ListPop(ListEnd End, long Count, bool HasCount)
    {
        public void Reply(ReadOnlySpan<byte> key, ByteStringList elements, RespReplyWriter reply)
        {
            if (HasCount)
            {
                ListPopManyCommand.Reply(key, elements, reply);
                return;
            }

            var texts = elements.GetEnumerator();
            texts.MoveNext();
            reply.ArrayHeader(2);
            reply.Bulk(key);
            reply.Bulk(texts.Current.Bytes);
        }
    }

    private sealed class PopWaiter(CommandContext context, byte[][] keys, ListPop pop)
        : Waiter(context.Client, context.Client.Database, EntryKind.List, keys)
    {
        protected internal override WaitOutcome TryServe(CacheStore store, byte[] key, RespReplyWriter reply)
        {
            if (!store.TryPeekInfo(key, out var info) || info.Kind != EntryKind.List)
                return WaitOutcome.Empty;
            if (info.MemoryBytes > LentBytesMax)
                return WaitOutcome.Itself;
            using var elements = new ByteStringList();
            var sink = new ListElementsSink(elements);
            var status = store.List(key).PopMany(pop.End, pop.Count, ref sink);
            if (status != WriteStatus.Done)
                return status is WriteStatus.NotFound or WriteStatus.WrongType ? WaitOutcome.Empty : WaitOutcome.Itself;
            pop.Reply(key, elements, reply);
            return WaitOutcome.Served;
        }
    }
}
