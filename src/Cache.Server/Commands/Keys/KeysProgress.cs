using Cache.Core;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;

namespace Cache.Server.Commands.Keys;

/// <summary>The progress of KEYS.</summary>
internal sealed class KeysProgress(CacheStore store, long replyBytesMax) : CommandProgress
{
    /// <summary>The keyspace that it scans, even if the client's database is another one by then.</summary>
    public CacheStore Store { get; } = store;

    public ulong Cursor { get; set; }

    /// <summary>The keys that matched so far.</summary>
    public ByteStringList Keys { get; } = new() { BytesMax = replyBytesMax };

    public override long MemoryBytes => Keys.MemoryBytes;

    public override void Dispose() => Keys.Dispose();
}
