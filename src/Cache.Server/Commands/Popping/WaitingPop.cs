using Cache.Server.Commands.Replies;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Popping;

/// <summary>What a blocking command takes, and how it tells that: one element, or several in an array.</summary>
internal readonly record struct WaitingPop<TPop>(TPop Pop, long Count, bool HasCount)
    where TPop : struct, IPop<TPop>
{
    public void Reply(ReadOnlySpan<byte> key, ByteStringList taken, RespReplyWriter reply)
    {
        if (HasCount)
            TPop.Reply(key, taken, reply);
        else
            TPop.ReplyOne(key, taken, reply);
    }
}
