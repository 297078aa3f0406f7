using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;
using Cache.Server.Waits;

namespace Cache.Server.Commands.SortedSets;

/// <summary>The commands that take members from sorted sets, or wait for some.</summary>
internal static class BlockingPopCommands
{
    public static IReadOnlyList<CommandBinding> Bindings { get; } =
    [
        new("bzpopmin", BZPopMin),
        new("bzpopmax", BZPopMax),
        new("bzmpop", BZMPop),
    ];

    // BZPOPMIN key [key ...] timeout
    private static void BZPopMin(in RespRequest request, CommandContext context) =>
        PopOne(request, takesHighest: false, context);

    // BZPOPMAX key [key ...] timeout
    private static void BZPopMax(in RespRequest request, CommandContext context) =>
        PopOne(request, takesHighest: true, context);

    // BZMPOP timeout numkeys key [key ...] MIN | MAX [COUNT count]
    private static void BZMPop(in RespRequest request, CommandContext context)
    {
        if (BlockedCalls.TryEnd(context))
            return;
        if (PopFirstCommand.TryParse(request, 2, context.Reply, out var keys, out bool takesHighest, out long count)
            && BlockedCalls.TryReadTimeout(request[1], context, out var timeout))
        {
            Pop(keys, new MemberPop(takesHighest, count, HasCount: true), timeout, context);
        }
    }

    private static void PopOne(in RespRequest request, bool takesHighest, CommandContext context)
    {
        if (BlockedCalls.TryEnd(context))
            return;
        var keys = new RequestSlice(request, 1, request.Count - 2);
        if (BlockedCalls.TryReadTimeout(request[^1], context, out var timeout))
            Pop(keys, new MemberPop(takesHighest, 1, HasCount: false), timeout, context);
    }

    private static void Pop(RequestSlice keys, MemberPop pop, TimeSpan timeout, CommandContext context)
    {
        if (KeysWork.TryGiveWay(keys, context))
            return;
        using var popped = context.BorrowList();
        var status = BlockedCalls.MustQueue(keys, EntryKind.SortedSet, context)
            ? PopBehindOthers(keys, pop, popped, context, out int index)
            : PopFirstCommand.Pop(keys, pop.TakesHighest, pop.Count, popped, context.Store, out index);
        if (status == WriteStatus.NotFound && BlockedCalls.MayBlock(context))
        {
            var waiter = BlockedCalls.Earlier(context) ?? new PopWaiter(context, WaitedKeys.Of(keys), pop);
            BlockedCalls.Block(waiter, timeout, context);
            return;
        }

        if (status == WriteStatus.Done)
            pop.Reply(keys.GetKey(index), popped, context.Reply);
        else if (status == WriteStatus.NotFound)
            context.Reply.NullArray();
        else
            context.Reply.Refusal(status);
        context.EndProgress();
    }

    // What those get that came before is none of its business; yet a key of another kind is an error at once.
    private static WriteStatus PopBehindOthers(
        RequestSlice keys, MemberPop pop, ByteStringList popped, CommandContext context, out int index)
    {
        var status = WriteStatus.NotFound;
        var sink = new PopFirstCommand.PoppedSink(popped);
        for (index = 0; index < keys.Count && status == WriteStatus.NotFound; index++)
        {
            var key = keys.GetKey(index);
            if (!BlockedCalls.MustQueue(key, EntryKind.SortedSet, context))
                status = context.Store.SortedSet(key).Pop(pop.Count, pop.TakesHighest, ref sink);
            else if (context.Store.TryPeekInfo(key, out var info) && info.Kind != EntryKind.SortedSet)
                status = WriteStatus.WrongType;
        }

        index--;
        return status;
    }

    // What is taken, and how it is told: one member, or several in an array.
    private readonly record struct MemberPop(bool TakesHighest, long Count, bool HasCount)
    {
        public void Reply(ReadOnlySpan<byte> key, ByteStringList popped, RespReplyWriter reply)
        {
            if (HasCount)
                PopFirstCommand.Reply(key, popped, reply);
            else
                PopFirstCommand.ReplyOne(key, popped, reply);
        }
    }

    private sealed class PopWaiter(CommandContext context, byte[][] keys, MemberPop pop)
        : Waiter(context.Client, context.Client.Database, EntryKind.SortedSet, keys)
    {
        protected internal override WaitOutcome TryServe(CacheStore store, byte[] key, RespReplyWriter reply)
        {
            if (!store.TryPeekInfo(key, out var info) || info.Kind != EntryKind.SortedSet)
                return WaitOutcome.Empty;
            if (info.MemoryBytes > LentBytesMax)
                return WaitOutcome.Itself;
            using var popped = new ByteStringList();
            var sink = new PopFirstCommand.PoppedSink(popped);
            var status = store.SortedSet(key).Pop(pop.Count, pop.TakesHighest, ref sink);
            if (status != WriteStatus.Done)
                return status is WriteStatus.NotFound or WriteStatus.WrongType ? WaitOutcome.Empty : WaitOutcome.Itself;
            pop.Reply(key, popped, reply);
            return WaitOutcome.Served;
        }
    }
}
