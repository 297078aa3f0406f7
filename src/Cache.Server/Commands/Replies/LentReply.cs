using Cache.Core;
using Cache.Server.Transport;

namespace Cache.Server.Commands.Replies;

/// <summary>A value of the store on its way to a client.</summary>
internal sealed class LentReply(LentValue value) : LentBytes
{
    /// <summary>Shorter values are copied, and sent with header and end at once.</summary>
    public const int LengthMin = 64 * 1024;

    public override ReadOnlySpan<byte> Span => value.Span;

    public override ReadOnlyMemory<byte> Memory => value.Memory;

    public override void Dispose() => value.Dispose();
}
