using Cache.Core;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Lists;

/// <summary>Writes elements of a list as an array.</summary>
internal readonly struct ElementReplySink(RespReplyWriter reply) : IElementSink
{
    public void Begin(long count) => reply.ArrayHeader(count);

    public void Take(scoped ReadOnlySpan<byte> element) => reply.Bulk(element);
}
