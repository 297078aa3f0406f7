using Cache.Core;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;
using Cache.Server.Waits;

namespace Cache.Server.Commands.Popping;

/// <summary>A client that waits for elements of some keys.</summary>
internal sealed class PopWaiter<TPop>(CommandContext context, byte[][] keys, WaitingPop<TPop> pop)
    : Waiter(context.Client, context.Client.Database, TPop.Kind, keys)
    where TPop : struct, IPop<TPop>
{
    protected internal override WaitOutcome TryServe(CacheStore store, byte[] key, RespReplyWriter reply)
    {
        if (!store.TryPeekInfo(key, out var info) || info.Kind != TPop.Kind)
            return WaitOutcome.Empty;
        if (info.MemoryBytes > LentBytesMax)
            return WaitOutcome.Itself;
        using var taken = new ByteStringList();
        var status = pop.Pop.Take(store, key, pop.Count, taken);
        if (status != WriteStatus.Done)
            return status is WriteStatus.NotFound or WriteStatus.WrongType ? WaitOutcome.Empty : WaitOutcome.Itself;
        pop.Reply(key, taken, reply);
        return WaitOutcome.Served;
    }
}
