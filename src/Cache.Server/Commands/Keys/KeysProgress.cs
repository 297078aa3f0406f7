using Cache.Core;
using Cache.Server.Commands.Dispatch;
using Cache.Server.Commands.Replies;

namespace Cache.Server.Commands.Keys;

/// <summary>How far KEYS has come.</summary>
internal sealed class KeysProgress(CacheStore store, long replyBytesMax) : CommandProgress
{
    /// <summary>Where it walks, though the client's database may be another keyspace meanwhile.</summary>
    public CacheStore Store { get; } = store;

    public ulong Cursor { get; set; }

    /// <summary>The keys that matched so far.</summary>
    public ByteStringList Keys { get; } = new() { BytesMax = replyBytesMax };

    public override long MemoryBytes => Keys.MemoryBytes;

    public override void Dispose() => Keys.Dispose();
}
