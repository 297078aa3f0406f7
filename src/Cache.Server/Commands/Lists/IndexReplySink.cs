using Cache.Core;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Lists;

/// <summary>Writes indexes of a list as an array.</summary>
internal readonly struct IndexReplySink(RespReplyWriter reply) : IIndexSink
{
    public void Begin(long count) => reply.ArrayHeader(count);

    public void Take(long index) => reply.Integer(index);
}
