using Cache.Core;
using Cache.Server.Commands.Dispatch;

namespace Cache.Server.Commands.Hashes;

/// <summary>Writes the fields of a hash, or one half of them, as the context.Reply.</summary>
internal readonly struct FieldReplySink(CommandContext context, FieldParts parts) : IFieldSink
{
    // The connection ends then, or the part of a long reply.
    public bool IsFull => context.IsReplyFull;

    public void Begin(long count)
    {
        if (parts == FieldParts.Both)
            context.Reply.MapHeader((int)count);
        else
            context.Reply.ArrayHeader((int)count);
    }

    public void Take(scoped ReadOnlySpan<byte> field, scoped ReadOnlySpan<byte> value)
    {
        if (parts != FieldParts.Values)
            context.Reply.Bulk(field);
        if (parts != FieldParts.Names)
            context.Reply.Bulk(value);
    }
}
