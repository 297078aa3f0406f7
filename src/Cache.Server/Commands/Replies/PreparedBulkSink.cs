using Cache.Core;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Replies;

/// <summary>Puts a value into the output, where it is the reply only once no other one can be due.</summary>
internal struct PreparedBulkSink(RespReplyWriter reply) : IValueSink
{
    /// <summary>The length of the value that was taken.</summary>
    public int Length { get; private set; }

    public readonly Span<byte> GetSpan(int length) => reply.BeginBulk(length);

    public void Advance(int length) => Length = length;

    /// <summary>Makes the value the reply. Nothing may have been written in between.</summary>
    public readonly void Reply() => reply.EndBulk(Length);
}
