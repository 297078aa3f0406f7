using Cache.Core;
using Cache.Server.Commands.Arguments;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Popping;

/// <summary>The commands that take elements from the first of several keys that has any, or wait for some.</summary>
internal static class KeyPops<TPop>
    where TPop : struct, IPop<TPop>
{
    /// <summary>numkeys key [key ...] word [COUNT count]</summary>
    public static void PopMany(in RespRequest request, CommandContext context)
    {
        if (!PopArguments.TryParse<TPop>(request, 1, context.Reply, out var keys, out bool isLast, out long count)
            || TPop.TryGiveWay(keys, context))
        {
            return;
        }

        using var taken = context.BorrowList();
        var status = FirstPop<TPop>.Take(keys, TPop.Of(isLast), count, taken, context.Store, out int index);
        if (status == WriteStatus.Done)
            TPop.Reply(keys.GetKey(index), taken, context.Reply);
        else if (status == WriteStatus.NotFound)
            context.Reply.NullArray();
        else
            context.Reply.Refusal(status);
    }

    /// <summary>timeout numkeys key [key ...] word [COUNT count]</summary>
    public static void BlockForMany(in RespRequest request, CommandContext context)
    {
        if (BlockedCalls.TryEnd(context))
            return;
        if (PopArguments.TryParse<TPop>(request, 2, context.Reply, out var keys, out bool isLast, out long count)
            && BlockedCalls.TryReadTimeout(request[1], context, out var timeout))
        {
            Block(request, keys, new WaitingPop<TPop>(TPop.Of(isLast), count, HasCount: true), timeout, context);
        }
    }

    /// <summary>key [key ...] timeout</summary>
    public static void BlockForOne(in RespRequest request, TPop pop, CommandContext context)
    {
        if (BlockedCalls.TryEnd(context))
            return;
        var keys = new RequestSlice(request, 1, request.Count - 2);
        if (BlockedCalls.TryReadTimeout(request[^1], context, out var timeout))
            Block(request, keys, new WaitingPop<TPop>(pop, 1, HasCount: false), timeout, context);
    }

    private static void Block(
        in RespRequest request, RequestSlice keys, WaitingPop<TPop> pop, TimeSpan timeout, CommandContext context)
    {
        if (TPop.TryGiveWay(keys, context))
            return;
        using var taken = context.BorrowList();
        var status = BlockedCalls.MustQueue(keys, TPop.Kind, context)
            ? TakeBehindOthers(keys, pop, taken, context, out int index)
            : FirstPop<TPop>.Take(keys, pop.Pop, pop.Count, taken, context.Store, out index);
        if (status == WriteStatus.NotFound && BlockedCalls.MayBlock(context))
        {
            var waiter = BlockedCalls.Earlier(context) ?? new PopWaiter<TPop>(context, WaitedKeys.Of(keys), pop);
            BlockedCalls.Block(waiter, timeout, request, context);
            return;
        }

        if (status == WriteStatus.Done)
            pop.Reply(keys.GetKey(index), taken, context.Reply);
        else if (status == WriteStatus.NotFound)
            context.Reply.NullArray();
        else
            context.Reply.Refusal(status);
        context.EndProgress();
    }

    // What those get that came before is none of its business; yet a key of another kind is an error at once.
    private static WriteStatus TakeBehindOthers(
        RequestSlice keys, WaitingPop<TPop> pop, ByteStringList taken, CommandContext context, out int index)
    {
        var status = WriteStatus.NotFound;
        for (index = 0; index < keys.Count && status == WriteStatus.NotFound; index++)
        {
            var key = keys.GetKey(index);
            if (!BlockedCalls.MustQueue(key, TPop.Kind, context))
                status = pop.Pop.Take(context.Store, key, pop.Count, taken);
            else if (context.Store.TryPeekInfo(key, out var info) && info.Kind != TPop.Kind)
                status = WriteStatus.WrongType;
        }

        index--;
        return status;
    }
}
