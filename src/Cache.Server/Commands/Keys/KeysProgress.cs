using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;

namespace Cache.Server.Commands.Keys;

/// <summary>How far KEYS has come.</summary>
internal sealed class KeysProgress(long replyBytesMax) : CommandProgress
{
    public ulong Cursor { get; set; }

    /// <summary>The keys that matched so far.</summary>
    public ByteStringList Keys { get; } = new() { BytesMax = replyBytesMax };

    public override long MemoryBytes => Keys.MemoryBytes;

    public override void Dispose() => Keys.Dispose();
}
