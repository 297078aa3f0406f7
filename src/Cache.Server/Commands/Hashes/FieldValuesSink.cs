using Cache.Core;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Hashes;

/// <summary>Writes the values of some fields as an array.</summary>
/// <param name="reply">The reply.</param>
/// <param name="count">The number of fields.</param>
internal struct FieldValuesSink(RespReplyWriter reply, int count) : IValueBatchSink
{
    private bool _hasHeader;

    public readonly bool IsFull => false;

    public Span<byte> GetSpan(int length)
    {
        WriteHeader();
        return reply.BeginBulk(length);
    }

    public readonly void Advance(int length) => reply.EndBulk(length);

    public void Miss()
    {
        WriteHeader();
        reply.Null();
    }

    public readonly void Restart() => throw new NotSupportedException("The fields of one hash are read at once.");

    // Not before it is known that the key is a hash.
    private void WriteHeader()
    {
        if (!_hasHeader)
            reply.ArrayHeader(count);
        _hasHeader = true;
    }
}
