using Cache.Core;
using Cache.Server.Commands.Dispatch;

namespace Cache.Server.Commands.Sets;

/// <summary>Writes the members of a set as the reply: a set, or an array.</summary>
internal readonly struct MemberReplySink(CommandContext context, bool isArray = false) : IMemberSink, IScoredMemberSink
{
    // The connection ends then, or the part of a long reply.
    public bool IsFull => context.IsReplyFull;

    public void Begin(long count)
    {
        if (isArray)
            context.Reply.ArrayHeader(count);
        else
            context.Reply.SetHeader((int)count);
    }

    public void Take(scoped ReadOnlySpan<byte> member) => context.Reply.Bulk(member);

    public void Take(scoped ReadOnlySpan<byte> member, double score) => Take(member);
}
