using Cache.Core;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;

namespace Cache.Server.Commands.Cluster;

/// <summary>The progress of a command that looks for the keys of a slot.</summary>
internal sealed class SlotKeysProgress(CacheStore store, long replyBytesMax) : CommandProgress
{
    public CacheStore Store { get; } = store;

    public ulong Cursor { get; set; }

    public long Count { get; set; }

    /// <summary>The keys that it wants and has found so far.</summary>
    public ByteStringList Keys { get; } = new() { BytesMax = replyBytesMax };

    public override long MemoryBytes => Keys.MemoryBytes;

    public override void Dispose() => Keys.Dispose();
}
