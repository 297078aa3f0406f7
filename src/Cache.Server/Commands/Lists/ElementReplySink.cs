using Cache.Core;
using Cache.Server.Commands.Dispatch;

namespace Cache.Server.Commands.Lists;

/// <summary>Writes elements of a list as an array.</summary>
internal readonly struct ElementReplySink(CommandContext context) : IElementSink
{
    // The connection ends then, or the part of a long reply.
    public bool IsFull => context.IsReplyFull;

    public void Begin(long count) => context.Reply.ArrayHeader(count);

    public void Take(scoped ReadOnlySpan<byte> element) => context.Reply.Bulk(element);
}
