using Cache.Core;
using Cache.Server.Commands.Dispatch;

namespace Cache.Server.Commands.Hashes;

/// <summary>Writes fields as the reply: an array, or one alone.</summary>
/// <param name="context">The client.</param>
/// <param name="isArray">Whether it is an array.</param>
/// <param name="hasValues">Whether each field is followed by its value; in RESP3 both are an array.</param>
internal readonly struct RandomFieldSink(CommandContext context, bool isArray, bool hasValues) : IFieldSink
{
    private readonly bool _isNested = hasValues && context.Reply.ProtocolVersion == 3;

    // The connection ends then.
    public bool IsFull => context.IsReplyOverLimit;

    public void Begin(long count)
    {
        if (isArray)
            context.Reply.ArrayHeader(hasValues && !_isNested ? count * 2 : count);
    }

    public void Take(scoped ReadOnlySpan<byte> field, scoped ReadOnlySpan<byte> value)
    {
        if (_isNested)
            context.Reply.ArrayHeader(2);
        context.Reply.Bulk(field);
        if (hasValues)
            context.Reply.Bulk(value);
    }
}
