using Cache.Core;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Streams;

/// <summary>Writes entries of a stream as an array.</summary>
internal readonly struct EntryReplySink(CommandContext context) : IStreamSink
{
    // The connection ends then.
    public bool IsFull => context.IsReplyOverLimit;

    public void Begin(long count) => context.Reply.ArrayHeader(count);

    public void Take(StreamId id, scoped StreamFields fields) => Write(context.Reply, id, fields);

    public static void Write(RespReplyWriter reply, StreamId id, scoped StreamFields fields)
    {
        reply.ArrayHeader(2);
        reply.Id(id);
        if (fields.IsRemoved)
        {
            reply.NullArray();
            return;
        }

        reply.ArrayHeader(2L * fields.Count);
        while (fields.MoveNext())
        {
            reply.Bulk(fields.Field);
            reply.Bulk(fields.Value);
        }
    }
}
