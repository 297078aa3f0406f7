using Cache.Core;
using Cache.Server.Transport;

namespace Cache.Server.Commands.Replies;

/// <summary>A value of the store on its way to a client.</summary>
internal sealed class LentReply(LentValue value) : LentBytes
{
    /// <summary>Shorter ones are copied, and leave with header and end in one send.</summary>
    public const int LengthMin = 64 * 1024;

    public override ReadOnlySpan<byte> Span => value.Span;

    public override void Dispose() => value.Dispose();
}
