using Cache.Core;
using Cache.Server.Transport;

namespace Cache.Server.Commands;

/// <summary>A value of the store on its way to a client.</summary>
internal sealed class LentReply(LentValue value) : LentBytes
{
    /// <summary>
    /// Shorter ones are copied: that takes less than the sends of their own that header, value and end need.
    /// </summary>
    public const int LengthMin = 64 * 1024;

    public override ReadOnlySpan<byte> Span => value.Span;

    public override void Dispose() => value.Dispose();
}
