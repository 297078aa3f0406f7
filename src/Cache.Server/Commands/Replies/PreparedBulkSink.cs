using Cache.Core;
using Cache.Server.Protocol;

namespace Cache.Server.Commands.Replies;

/// <summary>Copies a value into the output's memory before it is certain that it will be the reply.</summary>
internal struct PreparedBulkSink(RespReplyWriter reply) : IValueSink
{
    /// <summary>The length of the copied value.</summary>
    public int Length { get; private set; }

    public readonly Span<byte> GetSpan(int length) => reply.BeginBulk(length);

    public void Advance(int length) => Length = length;

    /// <summary>Makes the value the reply. Nothing may have been written in between.</summary>
    public readonly void Reply() => reply.EndBulk(Length);
}
