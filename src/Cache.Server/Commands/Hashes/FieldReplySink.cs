using Cache.Core;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Hashes;

/// <summary>Writes the fields of a hash, or one half of them, as the reply.</summary>
internal readonly struct FieldReplySink(RespReplyWriter reply, FieldParts parts) : IFieldSink
{
    public void Begin(long count)
    {
        if (parts == FieldParts.Both)
            reply.MapHeader((int)count);
        else
            reply.ArrayHeader((int)count);
    }

    public void Take(scoped ReadOnlySpan<byte> field, scoped ReadOnlySpan<byte> value)
    {
        if (parts != FieldParts.Values)
            reply.Bulk(field);
        if (parts != FieldParts.Names)
            reply.Bulk(value);
    }
}
