using Cache.Core;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Replies;

/// <summary>Writes a value as a bulk string, directly from the store into the output.</summary>
internal readonly struct BulkReplySink(RespReplyWriter reply) : IValueSink
{
    public Span<byte> GetSpan(int length) => reply.BeginBulk(length);

    public void Advance(int length) => reply.EndBulk(length);
}
