using Cache.Core;
using Cache.Server.Commands.Dispatch;

namespace Cache.Server.Commands.Sets;

/// <summary>Writes the members of a set as the reply: a set, or an array.</summary>
internal readonly struct MemberReplySink(CommandContext context, bool isArray = false) : IMemberSink
{
    // The connection ends then.
    public bool IsFull => context.IsReplyOverLimit;

    public void Begin(long count)
    {
        if (isArray)
            context.Reply.ArrayHeader(count);
        else
            context.Reply.SetHeader((int)count);
    }

    public void Take(scoped ReadOnlySpan<byte> member) => context.Reply.Bulk(member);
}
