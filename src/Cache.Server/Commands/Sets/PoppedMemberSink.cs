using Cache.Core;
using Cache.Server.Commands.Dispatch;

namespace Cache.Server.Commands.Sets;

/// <summary>Writes the members that SPOP removed: a set, or one bulk string if no count was given.</summary>
internal readonly struct PoppedMemberSink(CommandContext context, bool hasCount) : IMemberSink
{
    public bool IsFull => context.IsReplyOverLimit;

    public void Begin(long count)
    {
        if (hasCount)
            context.Reply.SetHeader((int)count);
    }

    public void Take(scoped ReadOnlySpan<byte> member) => context.Reply.Bulk(member);

    public void TakeNothing()
    {
        if (hasCount)
            context.Reply.SetHeader(0);
        else
            context.Reply.Null();
    }
}
